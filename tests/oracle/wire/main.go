// SPDX-License-Identifier: Apache-2.0

// Command wire makes random objects of every kind and prints them as protobuf and as JSON, one pair a line:
//
//	go run . -seed 1 -n 3 >pairs.jsonl
//
// {"name": "v1 Pod 1", "protobuf": base64, "json": {...}, "exact": true}: the JSON is what upstream makes of the
// protobuf; exact says that it also makes the protobuf of the JSON. The last two lines are bodies of watch responses,
// {"name": "watch json", "stream": base64, "events": [{"type", "object"}]}.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"reflect"

	"wire-table/kinds"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
)

type pair struct {
	Name     string          `json:"name"`
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json"`
	// Whether upstream makes the same protobuf of the JSON: JSON cannot say everything that protobuf can.
	Exact bool `json:"exact"`
}

// unmarshaler is what the generated code gives every message.
type unmarshaler interface{ Unmarshal([]byte) error }

func encode(k kinds.Kind, object runtime.Object) ([]byte, error) {
	object.GetObjectKind().SetGroupVersionKind(k.Version.WithKind(k.Name))
	return runtime.Encode(protobuf.NewSerializer(nil, nil), object)
}

// decode makes a new object of the kind from the message inside the envelope.
func decode(k kinds.Kind, data []byte) (runtime.Object, error) {
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(data[4:]); err != nil {
		return nil, err
	}
	object := reflect.New(k.Type).Interface()
	if err := object.(unmarshaler).Unmarshal(envelope.Raw); err != nil {
		return nil, err
	}
	object.(runtime.Object).GetObjectKind().SetGroupVersionKind(k.Version.WithKind(k.Name))
	return object.(runtime.Object), nil
}

// hasTypeMeta tells whether the kind is sent in an envelope of its own; events of a watch are not.
func hasTypeMeta(k kinds.Kind) bool {
	_, ok := k.Type.FieldByName("TypeMeta")
	return ok
}

func makePair(k kinds.Kind, f filler, number int) (pair, error) {
	value := reflect.New(k.Type)
	f.fill(value.Elem(), 0)
	sent, err := encode(k, value.Interface().(runtime.Object))
	if err != nil {
		return pair{}, err
	}
	got, err := decode(k, sent)
	if err != nil {
		return pair{}, err
	}
	text, err := json.Marshal(got)
	if err != nil {
		return pair{}, err
	}
	back := reflect.New(k.Type).Interface().(runtime.Object)
	if err := json.Unmarshal(text, back); err != nil {
		return pair{}, err
	}
	again, err := encode(k, back)
	if err != nil {
		return pair{}, err
	}
	return pair{fmt.Sprintf("%s %s %d", k.Version, k.Name, number), sent, text, bytes.Equal(sent, again)}, nil
}

// writeStreams makes watch responses of some of the pairs.
func writeStreams(lines *json.Encoder, pairs []pair) error {
	types := []watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, watch.Error}
	sent := map[string]*bytes.Buffer{"watch json": {}, "watch protobuf": {}}
	frames := protobuf.LengthDelimitedFramer.NewFrameWriter(sent["watch protobuf"])
	var events []metav1.WatchEvent
	for i := 0; i < len(pairs); i += 10 {
		event := metav1.WatchEvent{Type: string(types[len(events)%len(types)]), Object: runtime.RawExtension{Raw: pairs[i].JSON}}
		events = append(events, event)
		if err := json.NewEncoder(sent["watch json"]).Encode(event); err != nil {
			return err
		}
		event.Object.Raw = pairs[i].Protobuf
		if err := protobuf.NewRawSerializer(nil, nil).Encode(&event, frames); err != nil {
			return err
		}
	}
	for _, name := range []string{"watch json", "watch protobuf"} {
		line := map[string]any{"name": name, "stream": sent[name].Bytes(), "events": events}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	log.SetFlags(0)
	seed := flag.Uint64("seed", 1, "seed of the random objects")
	count := flag.Int("n", 1, "objects of each kind")
	flag.Parse()
	all, err := kinds.All()
	if err != nil {
		log.Fatal(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := json.NewEncoder(out)
	f := filler{rand.New(rand.NewPCG(*seed, 0))}
	var first []pair
	for number := range *count {
		for _, k := range all {
			if !hasTypeMeta(k) {
				continue
			}
			p, err := makePair(k, f, number)
			if err != nil {
				log.Fatalf("%s %s: %v", k.Version, k.Name, err)
			}
			if err := lines.Encode(p); err != nil {
				log.Fatal(err)
			}
			if number == 0 {
				first = append(first, p)
			}
		}
	}
	if err := writeStreams(lines, first); err != nil {
		log.Fatal(err)
	}
}
