// SPDX-License-Identifier: Apache-2.0

// Command patch makes random objects and patches and prints what upstream makes of them, one case a line:
//
//	go run . -seed 1 -n 1000 >cases.jsonl
//
// {"type": "strategic", "apiVersion", "kind", "object", "patch"} and either "result" or "code" and "message". The type is
// strategic, merge or json. Cases in which upstream panics, or answers now this, now that, because it ranges over Go maps, are
// left out.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"

	"wire-table/kinds"
)

type testCase struct {
	Type       string          `json:"type"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Object     json.RawMessage `json:"object"`
	Patch      json.RawMessage `json:"patch"`
	Result     json.RawMessage `json:"result,omitempty"`
	Code       int             `json:"code,omitempty"`
	Message    string          `json:"message,omitempty"`
}

const invalid = "the server rejected our request due to an error in our request"

func encode(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		log.Fatal(err)
	}
	return bytes.TrimSpace(text.Bytes())
}

// strategic applies a patch as the API server does. The codes of errors are those of its handler.
func strategic(object runtime.Object, patch []byte) (result []byte, code int, message string) {
	original, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		log.Fatal(err)
	}
	changes := map[string]any{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(patch, &changes); err != nil {
		return nil, 400, err.Error()
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(original, changes, object)
	switch {
	case err == nil:
		return encode(merged), 0, ""
	case slices.Contains([]error{mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList,
		mergepatch.ErrBadPatchFormatForRetainKeys, mergepatch.ErrBadPatchFormatForSetElementOrderList}, err):
		return nil, 400, err.Error()
	case errors.Is(err, mergepatch.ErrNoListOfLists):
		return nil, 422, invalid
	}
	return nil, 500, err.Error()
}

func merge(object, patch []byte) (result []byte, code int, message string) {
	result, err := jsonpatch.MergePatch(object, patch)
	if err != nil {
		return nil, 400, err.Error()
	}
	return result, 0, ""
}

func apply(object, patch []byte) (result []byte, code int, message string) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, 400, err.Error()
	}
	result, err = operations.Apply(object)
	if err != nil {
		return nil, 422, invalid
	}
	return result, 0, ""
}

// ask fills in upstream's answer. False if it has none.
func ask(c *testCase, object runtime.Object) (answered bool) {
	defer func() {
		if recover() != nil {
			answered = false
		}
	}()
	jsonpatch.AccumulatedCopySizeLimit = 3 * 1024 * 1024
	switch c.Type {
	case "strategic":
		c.Result, c.Code, c.Message = strategic(object, c.Patch)
	case "merge":
		c.Result, c.Code, c.Message = merge(c.Object, c.Patch)
	case "json":
		c.Result, c.Code, c.Message = apply(c.Object, c.Patch)
	}
	return true
}

// objectKinds lists the kinds that have metadata of their own.
func objectKinds() []kinds.Kind {
	all, err := kinds.All()
	if err != nil {
		log.Fatal(err)
	}
	return slices.DeleteFunc(all, func(kind kinds.Kind) bool {
		_, found := kind.Type.FieldByName("ObjectMeta")
		return !found
	})
}

func main() {
	seed := flag.Uint64("seed", 1, "of the random numbers")
	count := flag.Int("n", 1000, "how many cases to try")
	only := flag.String("type", "", "only patches of this type")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	random := rand.New(rand.NewPCG(*seed, 0))
	f := filler{random}
	all := objectKinds()
	for range *count {
		kind := pick(f, all)
		if name := pick(f, []string{"Pod", "Service", "Node", "Deployment"}); f.chance(50) {
			kind = all[slices.IndexFunc(all, func(k kinds.Kind) bool { return k.Name == name })]
		}
		value := reflect.New(kind.Type)
		f.fill(value.Elem(), 0)
		object := value.Interface().(runtime.Object)
		object.GetObjectKind().SetGroupVersionKind(kind.Version.WithKind(kind.Name))
		tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			log.Fatal(err)
		}
		c := testCase{Type: pick(f, []string{"strategic", "strategic", "merge", "json"}), APIVersion: kind.Version.String(),
			Kind: kind.Name, Object: encode(tree)}
		if *only != "" {
			c.Type = *only
		}
		switch c.Type {
		case "strategic":
			c.Patch = encode(f.patch(kind.Type, tree, true))
		case "merge":
			c.Patch = encode(f.patch(kind.Type, tree, false))
		case "json":
			c.Patch = encode(f.operations(tree))
		}
		if first := c; ask(&first, object) {
			same := true
			for range 11 {
				again := c
				same = same && ask(&again, object) && reflect.DeepEqual(first, again)
			}
			if same {
				fmt.Fprintf(out, "%s\n", encode(first))
			}
		}
	}
}
