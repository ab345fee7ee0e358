// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// filler makes values at random, from few words, so that keys meet.
type filler struct{ *rand.Rand }

func pick[T any](f filler, from []T) T { return from[f.IntN(len(from))] }

func (f filler) chance(percent int) bool { return f.IntN(100) < percent }

func (f filler) word() string { return pick(f, []string{"a", "b", "c", "d", "e", "f"}) }

// special fills types whose fields are not what they look like. False if it is none of them.
func (f filler) special(v reflect.Value) bool {
	switch target := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*target = resource.MustParse(pick(f, []string{"0", "100m", "1", "128Mi"}))
	case *metav1.Time:
		*target = metav1.NewTime(time.Unix(1_700_000_000+f.Int64N(1000), 0))
	case *metav1.MicroTime:
		*target = metav1.NewMicroTime(time.Unix(1_700_000_000+f.Int64N(1000), 0))
	case *intstr.IntOrString:
		*target = pick(f, []intstr.IntOrString{intstr.FromInt32(1), intstr.FromInt32(2), intstr.FromString("a")})
	case *runtime.RawExtension:
		target.Raw = []byte(pick(f, []string{`{}`, `{"a":{"b":1}}`, `{"a":{"c":[1.5,"x"]}}`}))
	case *metav1.FieldsV1:
		target.SetRawBytes([]byte(`{"f:metadata":{}}`))
	case *metav1.TypeMeta:
	default:
		return false
	}
	return true
}

// merges tells whether a list of the field merges.
func merges(field reflect.StructField) bool {
	return strings.HasPrefix(field.Tag.Get("patchStrategy"), "merge")
}

func (f filler) fill(v reflect.Value, depth int) {
	if v.Kind() == reflect.Struct && f.special(v) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.word())
	case reflect.Bool:
		v.SetBool(f.chance(50))
	case reflect.Int32, reflect.Int64, reflect.Int:
		v.SetInt(f.Int64N(5))
	case reflect.Uint8:
		v.SetUint(uint64(f.IntN(256)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth)
	case reflect.Slice:
		f.fillList(v, depth)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, depth)
			f.fill(value, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		f.fillStruct(v, depth)
	}
}

// fillList makes a list. Lists of strings have no duplicates: what upstream makes of those depends on how much memory Go has
// reserved for the list.
func (f filler) fillList(v reflect.Value, depth int) {
	count := f.IntN(6 - min(depth, 4))
	list := reflect.MakeSlice(v.Type(), 0, count)
	seen := map[string]bool{}
	for range count {
		element := reflect.New(v.Type().Elem()).Elem()
		f.fill(element, depth+1)
		if element.Kind() != reflect.String || !seen[element.String()] {
			list = reflect.Append(list, element)
		}
		if element.Kind() == reflect.String {
			seen[element.String()] = true
		}
	}
	v.Set(list)
}

func (f filler) fillStruct(v reflect.Value, depth int) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		percent := 50 - 12*min(depth, 3)
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); field.Anonymous || name == "metadata" || name == "spec" {
			percent = 90
		} else if name == "name" || name == "type" {
			percent = 80
		}
		if merges(field) {
			percent += 25
		}
		if f.chance(percent) {
			f.fill(v.Field(i), depth+1)
		}
	}
}
