// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

type tree = map[string]any

// fieldsOf lists the fields of a struct by their JSON names, those of embedded structs too.
func fieldsOf(t reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			maps.Copy(fields, fieldsOf(indirect(field.Type)))
		case name != "" && name != "-":
			fields[name] = field
		}
	}
	return fields
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func sorted(m tree) []string { return slices.Sorted(maps.Keys(m)) }

// junk is anything but what belongs there.
func (f filler) junk() any {
	return pick(f, []any{"x", 1, 1.5, true, tree{"a": "b"}, tree{}, []any{}, []any{"a", "b"}, []any{tree{"name": "a"}}, []any{1, "a"},
		tree{"$patch": "delete"}, tree{"n": nil, "l": []any{tree{"z": nil}}}})
}

// value is a new value of a type, as JSON, with nulls here and there.
func (f filler) value(t reflect.Type) any {
	box := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "V", Type: t, Tag: `json:"v"`}}))
	f.fill(box.Elem().Field(0), 2)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(box.Interface())
	if err != nil {
		panic(err)
	}
	if nested, ok := content["v"].(tree); ok && f.chance(20) {
		nested[f.word()] = nil
	}
	return content["v"]
}

// patch makes changes to a struct that looks like `current` now, with or without directives.
func (f filler) patch(t reflect.Type, current tree, directed bool) tree {
	t = indirect(t)
	patch := tree{}
	if t.Kind() != reflect.Struct {
		f.patchMap(t, current, patch)
		return patch
	}
	fields := fieldsOf(t)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		old, exists := current[name]
		percent := 6
		if exists {
			percent = 35
		}
		if _, nested := old.(tree); nested || (exists && merges(fields[name])) {
			percent = 60
		}
		if f.chance(percent) {
			f.patchField(fields[name], name, old, patch, directed)
		}
	}
	if f.chance(3) {
		patch[pick(f, []string{"unknown", "Spec", "$deleteFromPrimitiveList/x", "$setElementOrder/metadata"})] = f.junk()
	}
	if directed {
		f.direct(patch, current)
	}
	return patch
}

// direct adds directives about the map as a whole.
func (f filler) direct(patch, current tree) {
	switch f.IntN(60) {
	case 0:
		patch["$patch"] = pick(f, []any{"replace", "replace", "delete", "merge", "x", 5})
	case 1, 2:
		keys := []any{}
		for _, name := range slices.Concat(sorted(patch), sorted(current)) {
			if (patch[name] != nil || f.chance(50)) && !strings.HasPrefix(name, "$") {
				keys = append(keys, name)
			}
		}
		if len(keys) > 0 && f.chance(10) {
			keys = keys[1:]
		}
		patch["$retainKeys"] = keys
	case 3:
		if f.chance(20) {
			patch[pick(f, []string{"$retainKeys", "$setElementOrderX", "$deleteFromPrimitiveList", "$setElementOrder/nope"})] = f.junk()
		}
	}
}

func (f filler) patchMap(t reflect.Type, current, patch tree) {
	names := append(sorted(current), f.word())
	for range f.IntN(4) {
		switch name := pick(f, names); {
		case f.chance(30):
			patch[name] = nil
		case f.chance(5) || t.Kind() != reflect.Map:
			patch[name] = f.junk()
		default:
			patch[name] = f.value(t.Elem())
		}
	}
}

func (f filler) patchField(field reflect.StructField, name string, old any, patch tree, directed bool) {
	switch {
	case f.chance(10):
		patch[name] = nil
		return
	case f.chance(2):
		patch[name] = f.junk()
		return
	}
	t := indirect(field.Type)
	nested, isMap := old.(tree)
	list, isList := old.([]any)
	switch {
	case isMap && !f.chance(10):
		patch[name] = f.patch(t, nested, directed)
	case t.Kind() == reflect.Slice && merges(field) && directed && (isList || f.chance(40)):
		f.patchList(field, name, list, patch)
	default:
		patch[name] = f.value(field.Type)
	}
}

// patchList makes changes to a list that merges.
func (f filler) patchList(field reflect.StructField, name string, old []any, patch tree) {
	element := indirect(field.Type).Elem()
	key := field.Tag.Get("patchMergeKey")
	changes := []any{}
	if key == "" {
		for range f.IntN(4) {
			changes = append(changes, f.value(element))
		}
		if f.chance(40) {
			patch["$deleteFromPrimitiveList/"+name] = pick(f, [][]any{{f.value(element)}, {f.value(element), f.value(element)}, {}})
		}
	} else {
		for range f.IntN(4) {
			changes = append(changes, f.patchElement(element, key, old))
		}
	}
	if f.chance(50) {
		changes = f.order(name, key, element, old, changes, patch)
	}
	if len(changes) > 0 || f.chance(30) {
		patch[name] = changes
	}
	if f.chance(2) {
		patch[pick(f, []string{"$deleteFromPrimitiveList/", "$setElementOrder/"})+name] = f.junk()
	}
}

// patchElement changes one element of a list, or adds or deletes one.
func (f filler) patchElement(element reflect.Type, key string, old []any) any {
	current := tree{}
	if len(old) > 0 && f.chance(70) {
		current, _ = pick(f, old).(tree)
	}
	identity, known := current[key]
	if !known {
		if fresh, ok := f.value(element).(tree); ok {
			identity = fresh[key]
		}
	}
	change := tree{}
	switch {
	case f.chance(25):
		change["$patch"] = "delete"
	case f.chance(3):
		return tree{"$patch": pick(f, []any{"replace", "replace", "merge", "x", nil})}
	default:
		change = f.patch(element, current, true)
	}
	if identity != nil && !f.chance(2) {
		change[key] = identity
	}
	if f.chance(1) {
		return f.junk()
	}
	return change
}

// order adds a $setElementOrder and sorts the changes by it, most of the time.
func (f filler) order(name, key string, element reflect.Type, old, changes []any, patch tree) []any {
	identity := func(item any) any {
		if entry, ok := item.(tree); ok && key != "" {
			return entry[key]
		}
		return item
	}
	order := []any{}
	identities := []any{}
	for _, item := range slices.Concat(old, changes) {
		id := identity(item)
		if entry, ok := item.(tree); ok && entry["$patch"] != nil || slices.ContainsFunc(identities, func(other any) bool {
			return fmt.Sprint(other) == fmt.Sprint(id)
		}) {
			continue
		}
		isChange := slices.ContainsFunc(changes, func(change any) bool { return fmt.Sprint(identity(change)) == fmt.Sprint(id) })
		if isChange && f.chance(97) || f.chance(60) {
			identities = append(identities, id)
		}
	}
	f.Shuffle(len(identities), func(i, j int) { identities[i], identities[j] = identities[j], identities[i] })
	for _, id := range identities {
		if key == "" {
			order = append(order, id)
		} else if f.chance(99) {
			order = append(order, tree{key: id})
		} else {
			order = append(order, f.junk())
		}
	}
	if f.chance(3) {
		order = []any{}
	}
	patch["$setElementOrder/"+name] = order
	place := func(item any) int {
		return slices.IndexFunc(identities, func(id any) bool { return fmt.Sprint(id) == fmt.Sprint(identity(item)) })
	}
	if f.chance(95) {
		slices.SortStableFunc(changes, func(a, b any) int { return place(a) - place(b) })
	}
	return changes
}
