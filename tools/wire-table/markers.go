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
	"strings"
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
		if !ok || general.Tok != token.TYPE || general.Doc == nil {
			continue
		}
		spec := general.Specs[0].(*ast.TypeSpec)
		place := pkg + "." + spec.Name.Name
		m.add(place, general.Doc)
		m.add(place, lineAfter[files.Position(general.Doc.Pos()).Line])
		if body, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range body.Fields.List {
				for _, name := range field.Names {
					m.add(place+"."+name.Name, field.Doc)
				}
			}
		}
	}
	return nil
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
		if m[place] == nil {
			m[place] = map[string][]string{}
		}
		name, value, _ := strings.Cut(text, "=")
		m[place][name] = append(m[place][name], value)
	}
}
