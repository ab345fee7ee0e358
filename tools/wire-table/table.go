// SPDX-License-Identifier: Apache-2.0

package main

import (
	"log"
	"reflect"
	"sort"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The bits of a field; the same as Flag in src/api/wire/table.h.
const (
	flagPointer = 1 << iota
	flagOmitEmpty
	flagOmitZero
	flagInline
	flagPatchMerge
	flagPatchReplace
	flagPatchRetainKeys
	flagAtomic
	flagListSet
	flagListMap
	flagOptional
	flagRequired
	flagGranular
)

type field struct {
	name, scalar, shape string
	number, message     int
	flags               int
	patchKey, listKeys  string
	types               goTypes
}

// goTypes are the names that Go gives to the type of a list or map and to that of a single value, where they have names
// of their own, and the values of an enumeration, separated by commas.
type goTypes struct{ whole, element, values string }

type message struct {
	name, form string
	atomic     bool
	fields     []field
}

// table collects messages as they are first met, so that an index is known before the fields are.
type table struct {
	markers  markers
	messages []*message
	index    map[reflect.Type]int
}

func newTable(m markers) *table { return &table{markers: m, index: map[reflect.Type]int{}} }

// Types whose JSON is not the object of their fields.
var forms = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():    "Quantity",
	reflect.TypeFor[metav1.Time]():          "Time",
	reflect.TypeFor[metav1.MicroTime]():     "MicroTime",
	reflect.TypeFor[intstr.IntOrString]():   "IntOrString",
	reflect.TypeFor[runtime.RawExtension](): "Raw",
	reflect.TypeFor[metav1.FieldsV1]():      "Raw",
	// Read and checked where definitions of custom resources are.
	reflect.TypeFor[apiextensionsv1.JSONSchemaProps](): "Schema",
}

type marshaler interface{ Marshal() ([]byte, error) }

// A named list that is a message of its own, so that an empty one differs from none.
func isWrappedList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && reflect.PointerTo(t).Implements(reflect.TypeFor[marshaler]())
}

func nameOf(t reflect.Type) string {
	if model, ok := reflect.New(t).Interface().(interface{ OpenAPIModelName() string }); ok {
		return model.OpenAPIModelName()
	}
	parts := strings.Split(t.PkgPath(), "/")
	return "io.k8s." + strings.Join(append(parts[1:], t.Name()), ".")
}

func placeOf(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

func (t *table) add(typ reflect.Type) int {
	if index, ok := t.index[typ]; ok {
		return index
	}
	m := &message{name: nameOf(typ), form: "Struct"}
	t.index[typ] = len(t.messages)
	t.messages = append(t.messages, m)
	m.atomic = t.markers.value(placeOf(typ), "structType") == "atomic" || t.markers.value(placeOf(typ), "mapType") == "atomic"
	if form, ok := forms[typ]; ok {
		m.form = form
		return t.index[typ]
	}
	if isWrappedList(typ) {
		m.form = "Strings"
		return t.index[typ]
	}
	for i := range typ.NumField() {
		if f, ok := t.field(typ, typ.Field(i)); ok {
			m.fields = append(m.fields, f)
		}
	}
	return t.index[typ]
}

func (t *table) field(owner reflect.Type, in reflect.StructField) (field, bool) {
	tag := in.Tag.Get("json")
	name, options, _ := strings.Cut(tag, ",")
	if name == "-" {
		return field{}, false
	}
	f := field{name: name, shape: "Single", patchKey: in.Tag.Get("patchMergeKey")}
	for _, option := range strings.Split(options, ",") {
		f.flags |= map[string]int{"omitempty": flagOmitEmpty, "omitzero": flagOmitZero}[option]
	}
	if name == "" {
		if !in.Anonymous {
			log.Fatalf("%s.%s has no JSON name", placeOf(owner), in.Name)
		}
		f.flags |= flagInline
	}
	if wire := in.Tag.Get("protobuf"); wire != "" {
		number, err := strconv.Atoi(strings.Split(wire, ",")[1])
		if err != nil || number < 1 || number > 255 {
			log.Fatalf("%s.%s: protobuf tag %q", placeOf(owner), in.Name, wire)
		}
		f.number = number
	}
	f.flags |= t.mergeFlags(placeOf(owner)+"."+in.Name, in.Tag.Get("patchStrategy"), &f)
	t.setType(&f, owner, in)
	if f.flags&flagOmitZero != 0 && forms[in.Type] != "Time" {
		log.Fatalf("%s.%s: omitzero is only known for times", placeOf(owner), in.Name)
	}
	return f, true
}

func (t *table) mergeFlags(place, strategy string, f *field) int {
	flags := 0
	for _, word := range strings.Split(strategy, ",") {
		flags |= map[string]int{"merge": flagPatchMerge, "replace": flagPatchReplace, "retainKeys": flagPatchRetainKeys}[word]
	}
	switch t.markers.value(place, "listType") {
	case "atomic":
		flags |= flagAtomic
	case "set":
		flags |= flagListSet
	case "map":
		flags |= flagListMap
	}
	if t.markers.value(place, "mapType") == "atomic" || t.markers.value(place, "structType") == "atomic" {
		flags |= flagAtomic
	}
	if t.markers.value(place, "mapType") == "granular" || t.markers.value(place, "structType") == "granular" {
		flags |= flagGranular
	}
	if t.markers.has(place, "optional") {
		flags |= flagOptional
	}
	if t.markers.has(place, "required") {
		flags |= flagRequired
	}
	f.listKeys = strings.Join(t.markers[place]["listMapKey"], ",")
	return flags
}

func (t *table) setType(f *field, owner reflect.Type, in reflect.StructField) {
	typ := in.Type
	if typ.Kind() == reflect.Pointer {
		f.flags |= flagPointer
		typ = typ.Elem()
	}
	whole := typ
	isBytes := func(t reflect.Type) bool { return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 }
	switch {
	case typ.Kind() == reflect.Map:
		if typ.Key().Kind() != reflect.String {
			log.Fatalf("%s.%s: map key %s", placeOf(owner), in.Name, typ.Key())
		}
		f.shape = "Map"
		typ = typ.Elem()
	case typ.Kind() == reflect.Slice && !isBytes(typ) && !isWrappedList(typ):
		f.shape = "Repeated"
		typ = typ.Elem()
	}
	switch {
	case typ.Kind() == reflect.String:
		f.scalar = "String"
	case typ.Kind() == reflect.Bool:
		f.scalar = "Bool"
	case typ.Kind() == reflect.Int32:
		f.scalar = "Int32"
	case typ.Kind() == reflect.Int64:
		f.scalar = "Int64"
	case isBytes(typ):
		f.scalar = "Bytes"
	case typ.Kind() == reflect.Struct || isWrappedList(typ):
		f.scalar = "Message"
		f.message = t.add(typ)
	default:
		log.Fatalf("%s.%s: no wire form for %s", placeOf(owner), in.Name, in.Type)
	}
	f.types = t.goTypes(whole, typ)
}

func (t *table) goTypes(whole, element reflect.Type) goTypes {
	var types goTypes
	isPlain := func(t reflect.Type) bool { return t.PkgPath() == "" || t.Kind() == reflect.Struct }
	if !isPlain(element) {
		types.element = element.String()
	}
	if whole != element && (!isPlain(whole) || whole.Kind() == reflect.Map && !isPlain(whole.Key())) {
		types.whole = whole.String()
	}
	if place := placeOf(element); t.markers.has(place, "enum") && !t.markers.has(place, unknownMarker) {
		values := append([]string(nil), t.markers[place][constantMarker]...)
		sort.Strings(values)
		types.values = strings.Join(values, ",")
	}
	return types
}
