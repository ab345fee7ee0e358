// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strconv"
	"strings"
)

// pointer walks into a value at random and says where it came.
func (f filler) pointer(value any) (string, any) {
	path := ""
	if f.chance(2) {
		path = pick(f, []string{"x", "a~1b"})
	}
	for {
		if f.chance(12) && path != "" {
			return path, value
		}
		switch at := value.(type) {
		case tree:
			name := f.word()
			if len(at) > 0 && !f.chance(8) {
				name = pick(f, sorted(at))
			}
			path += "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
			value = at[name]
		case []any:
			index := f.IntN(len(at) + 1)
			text := strconv.Itoa(index)
			switch {
			case f.chance(10):
				text = "-"
			case f.chance(10):
				text = strconv.Itoa(index - len(at) - 1)
			case f.chance(3):
				text = pick(f, []string{"+0", "01", "1x", "", "99999999999999999999", "1.0", "+-1"})
			}
			path += "/" + text
			if index < len(at) {
				value = at[index]
			} else {
				return path, nil
			}
		default:
			if f.chance(3) {
				path += "/" + f.word()
			}
			return path, value
		}
	}
}

// operations makes a JSON patch. It does not both write nulls and test, because upstream takes a null that it wrote for another
// than one that it read.
func (f filler) operations(object tree) any {
	if f.chance(1) {
		return pick(f, []any{tree{}, 5, []any{1}, nil, []any{nil}, "x", []any{[]any{}}})
	}
	list := []any{}
	ops := pick(f, [][]string{{"add", "add", "remove", "replace", "move", "copy", "test"}, {"add", "replace", "move"}})
	tests := len(ops) > 3
	for range 1 + f.IntN(5) {
		op := pick(f, ops)
		path, value := f.pointer(object)
		from, _ := f.pointer(object)
		operation := tree{"op": op, "path": path}
		switch op {
		case "add", "replace":
			operation["value"] = pick(f, []any{"x", 1, nil, tree{"a": "b"}, tree{"a": tree{"n": nil}}, []any{1, tree{}}, value})
			if tests && operation["value"] == nil {
				operation["value"] = "y"
			}
		case "test":
			operation["value"] = value
			if f.chance(10) {
				operation["value"] = f.junk()
			}
		case "move", "copy":
			operation["from"] = from
		}
		if f.chance(2) {
			delete(operation, pick(f, []string{"op", "path", "from"}))
		}
		if f.chance(2) {
			operation[pick(f, []string{"op", "path", "from"})] = pick(f, []any{5, nil, "", "x", "/", "/metadata"})
		}
		list = append(list, operation)
	}
	return list
}
