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

// filler sets values at random. There are few different ones, so that changes and conflicts meet.
type filler struct {
	*rand.Rand
	// Lists may have several items with the same keys.
	duplicates bool
}

var (
	words      = []string{"a", "b", "c", "d", "e<f>&g", "h\"i\\"}
	quantities = []string{"0", "1", "500m", "1Gi", "0.5"}
	// Fields that are keys of lists, by their names in Go.
	keys = "Name Type ContainerPort Port Protocol UID MountPath DevicePath IP TopologyKey WhenUnsatisfiable Driver Device " +
		"Pool ShareID ResourceID ResourceClaimName Status Reason APIServerID"
)

func (f filler) chance(depth int) bool { return f.Float64() < max(0.1, 0.5-0.06*float64(depth)) }

// special sets the types that are written by hand upstream.
func (f filler) special(v reflect.Value) bool {
	if !v.CanAddr() {
		return false
	}
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		p.Time = time.Unix(1_700_000_000+f.Int64N(3), 0).UTC()
	case *metav1.MicroTime:
		p.Time = time.Unix(1_700_000_000+f.Int64N(3), 5000).UTC()
	case *resource.Quantity:
		*p = resource.MustParse(quantities[f.IntN(len(quantities))])
	case *intstr.IntOrString:
		*p = []intstr.IntOrString{intstr.FromInt32(80), intstr.FromInt32(81), intstr.FromString("http")}[f.IntN(3)]
	case *runtime.RawExtension:
		p.Raw = []byte([]string{`{"a":1}`, `{"b":[true]}`}[f.IntN(2)])
	default:
		return false
	}
	return true
}

// fill sets the value. Items of lists take their keys from their number.
func (f filler) fill(v reflect.Value, depth, item int) {
	if f.special(v) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth, item)
	case reflect.Struct:
		f.fillStruct(v, depth, item)
	case reflect.Slice:
		f.fillSlice(v, depth)
	case reflect.Map:
		f.fillMap(v, depth)
	case reflect.String:
		v.SetString(words[f.pick(len(words), item)])
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, 80, 443, 8080, 9}[f.pick(6, item)])
	}
}

func (f filler) pick(n, item int) int {
	if item >= 0 {
		return item % n
	}
	return f.IntN(n)
}

func (f filler) fillStruct(v reflect.Value, depth, item int) {
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		isKey := strings.Contains(" "+keys+" ", " "+name+" ")
		skip := name == "TypeMeta" || name == "ManagedFields" || (name == "ObjectMeta" && depth == 0)
		if skip || (!(isKey && item >= 0) && !f.chance(depth)) {
			continue
		}
		if isKey && item >= 0 && f.IntN(8) != 0 {
			f.fill(v.Field(i), depth+1, item)
		} else {
			f.fill(v.Field(i), depth+1, -1)
		}
	}
}

func (f filler) fillSlice(v reflect.Value, depth int) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte(words[f.IntN(len(words))]))
		return
	}
	order := f.Perm(6)
	n := 1 + f.IntN(3)
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		item := order[i]
		if f.duplicates && f.IntN(4) == 0 {
			item = order[0]
		}
		f.fill(v.Index(i), depth+1, item)
	}
}

func (f filler) fillMap(v reflect.Value, depth int) {
	v.Set(reflect.MakeMap(v.Type()))
	for range 1 + f.IntN(3) {
		key := reflect.New(v.Type().Key()).Elem()
		f.fill(key, depth+1, -1)
		value := reflect.New(v.Type().Elem()).Elem()
		f.fill(value, depth+1, -1)
		v.SetMapIndex(key, value)
	}
}

// mutate changes a part of the value.
func (f filler) mutate(v reflect.Value, depth int) {
	if depth > 0 && f.IntN(12) == 0 {
		if f.IntN(3) == 0 {
			v.SetZero()
		} else {
			f.fill(v, depth, -1)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f.mutate(v.Elem(), depth)
		}
	case reflect.Struct:
		if _, ok := v.Addr().Interface().(interface{ MarshalJSON() ([]byte, error) }); ok {
			return
		}
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if name != "TypeMeta" && name != "ManagedFields" && !(name == "ObjectMeta" && depth == 0) {
				f.mutate(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if v.Len() > 1 && f.IntN(6) == 0 {
			reflect.Swapper(v.Interface())(0, v.Len()-1)
		}
		for i := range v.Len() {
			if v.Index(i).Kind() != reflect.Uint8 {
				f.mutate(v.Index(i), depth+1)
			}
		}
	}
}

// thin leaves out parts of a configuration, and what nobody writes: empty values and status.
func (f filler) thin(value any, odds int) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			switch thinned := f.thin(member, odds).(type) {
			case nil:
				delete(v, name)
			case map[string]any:
				if len(thinned) == 0 && f.IntN(4) != 0 {
					delete(v, name)
				}
			case string:
				if thinned == "" {
					delete(v, name)
				}
			}
			if _, isMap := member.(map[string]any); !isMap && f.IntN(odds) == 0 {
				delete(v, name)
				if f.IntN(10) == 0 {
					v[name] = nil
				}
			}
		}
	case []any:
		for _, item := range v {
			f.thin(item, odds*3)
		}
	}
	return value
}
