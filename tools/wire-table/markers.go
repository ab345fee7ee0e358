// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// No markers in comments have these names: a constant of the type, and one whose value is not a literal.
const (
	constantMarker = "constant value"
	unknownMarker  = "constant of unknown value"
)

// markers are the "+name" and "+name=value" comments by place: "package.Type" or "package.Type.Field".
type markers map[string]map[string][]string

func (m markers) has(place, name string) bool { return len(m[place][name]) > 0 }

func (m markers) value(place, name string) string {
	if values := m[place][name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// loadMarkers reads the type declarations of whole modules.
func loadMarkers(modules ...string) (markers, error) {
	found := markers{}
	for _, module := range modules {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			return nil, err
		}
		root := strings.TrimSpace(string(out))
		err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.Name() != "types.go" {
				return err
			}
			rel, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				return err
			}
			return found.readFile(file, path.Join(module, filepath.ToSlash(rel)))
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (m markers) readFile(file, pkg string) error {
	// Markers may stand in a comment of their own, apart from the doc comment by an empty line.
	files := token.NewFileSet()
	syntax, err := parser.ParseFile(files, file, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	lineAfter := map[int]*ast.CommentGroup{}
	for _, group := range syntax.Comments {
		lineAfter[files.Position(group.End()).Line+2] = group
	}
	for _, declaration := range syntax.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if ok && general.Tok == token.CONST {
			m.addConstants(pkg, general)
		}
		if !ok || general.Tok != token.TYPE || general.Doc == nil {
			continue
		}
		spec := general.Specs[0].(*ast.TypeSpec)
		place := pkg + "." + spec.Name.Name
		m.add(place, general.Doc)
		m.add(place, lineAfter[files.Position(general.Doc.Pos()).Line])
		if body, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range body.Fields.List {
				for _, name := range fieldNames(field) {
					m.add(place+"."+name, field.Doc)
				}
			}
		}
	}
	return nil
}

// fieldNames are the names that a field declares; an embedded one has that of its type.
func fieldNames(field *ast.Field) []string {
	if len(field.Names) == 0 {
		switch typ := field.Type.(type) {
		case *ast.Ident:
			return []string{typ.Name}
		case *ast.SelectorExpr:
			return []string{typ.Sel.Name}
		}
	}
	var names []string
	for _, name := range field.Names {
		names = append(names, name.Name)
	}
	return names
}

// addConstants notes the values of string constants, X T = "a" or X = T("a"), as if they were markers of their type.
func (m markers) addConstants(pkg string, constants *ast.GenDecl) {
	for _, each := range constants.Specs {
		spec := each.(*ast.ValueSpec)
		for _, value := range spec.Values {
			typ := spec.Type
			if call, ok := value.(*ast.CallExpr); ok && typ == nil && len(call.Args) == 1 {
				typ, value = call.Fun, call.Args[0]
			}
			name, isNamed := typ.(*ast.Ident)
			if !isNamed {
				continue
			}
			place := pkg + "." + name.Name
			literal, isLiteral := value.(*ast.BasicLit)
			if !isLiteral || literal.Kind != token.STRING {
				m.set(place, unknownMarker, "")
				continue
			}
			if text, err := strconv.Unquote(literal.Value); err == nil {
				m.set(place, constantMarker, text)
			}
		}
	}
}

func (m markers) add(place string, comments *ast.CommentGroup) {
	if comments == nil {
		return
	}
	for _, comment := range comments.List {
		text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")), "+")
		if !ok {
			continue
		}
		name, value, _ := strings.Cut(text, "=")
		m.set(place, name, value)
	}
}

func (m markers) set(place, name, value string) {
	if m[place] == nil {
		m[place] = map[string][]string{}
	}
	m[place][name] = append(m[place][name], value)
}
