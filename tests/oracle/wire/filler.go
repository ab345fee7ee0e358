// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// filler sets values at random; the deeper, the fewer, so that objects stay small.
type filler struct{ *rand.Rand }

func (f filler) chance(depth int) bool { return f.Float64() < math.Max(0.15, 0.85-0.1*float64(depth)) }

func (f filler) text() string {
	words := []string{"", "a", "node.kubernetes.io/not-ready", "zürich", "日本", "<&>\u2028", "line\nline\t\"q\"\\", "x y",
		"\x00\x7f", "bad\xff\xc3utf8", "😀", strings.Repeat("long", 40)}
	if f.IntN(3) == 0 {
		return words[f.IntN(len(words))]
	}
	return fmt.Sprintf("w%x", f.IntN(1<<16))
}

func (f filler) number() int64 {
	numbers := []int64{0, 1, -1, 127, 128, 300, 1 << 20, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64}
	return numbers[f.IntN(len(numbers))]
}

func (f filler) seconds() int64 {
	switch f.IntN(6) {
	case 0:
		return 0
	case 1:
		return -f.Int64N(40_000_000_000) // Down to about the year 700.
	case 2:
		return f.Int64N(250_000_000_000) // Up to about the year 9800.
	}
	return 1_700_000_000 + f.Int64N(1_000_000_000)
}

func (f filler) quantity() resource.Quantity {
	texts := []string{"0", "100m", "1", "1500m", "128Mi", "1Gi", "0.5", "1e3", "12E", "1.5Gi", "-3", "100n", "9999999999999999999",
		"1Ki", "1024", "3k", "0.001", "12345678901234567890Mi", "5u"}
	return resource.MustParse(texts[f.IntN(len(texts))])
}

func (f filler) json() []byte {
	texts := []string{`{}`, `{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`, `{"a":[1,2.5,-1e10,true,null,"x"],"b":{"c":""}}`,
		`[[],{}]`, `"text"`, `12345678901234567890`, `{"k:{\"name\":\"a\"}":{}}`}
	return []byte(texts[f.IntN(len(texts))])
}

// special fills types whose fields are not what they look like. False if it is none of them.
func (f filler) special(v reflect.Value) bool {
	switch target := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*target = f.quantity()
	case *metav1.Time:
		*target = metav1.NewTime(time.Unix(f.seconds(), f.Int64N(1e9)))
	case *metav1.MicroTime:
		*target = metav1.NewMicroTime(time.Unix(f.seconds(), f.Int64N(1e9)))
	case *intstr.IntOrString:
		*target = intstr.FromInt32(int32(f.number()))
		if f.IntN(2) == 0 {
			*target = intstr.FromString(f.text())
		}
	case *runtime.RawExtension:
		target.Raw = f.json()
	case *metav1.FieldsV1:
		target.SetRawBytes(f.json())
	case *metav1.TypeMeta:
	default:
		return false
	}
	return true
}

func (f filler) fill(v reflect.Value, depth int) {
	if v.Kind() == reflect.Struct && f.special(v) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(f.number())
	case reflect.Uint8:
		v.SetUint(uint64(f.IntN(256)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), f.IntN(3), 3))
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, depth)
			f.fill(value, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f.chance(depth) {
				f.fill(v.Field(i), depth+1)
			}
		}
	default:
		panic(v.Type().String())
	}
}
