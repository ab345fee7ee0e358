// SPDX-License-Identifier: Apache-2.0

// Command apply makes random sequences of updates and applies by several managers and prints what upstream's field manager
// makes of each step, one a line:
//
//	go run . -seed 1 -n 100 >steps.jsonl
//
// {"op": "update" or "apply", "apiVersion", "kind", "manager", "subresource", "force", "now", "live": the object before or
// null, "object": what is sent, "result": the object after, or "error": {"code", "message", "causes"}}. Times are made up.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"reflect"
	"sort"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

var (
	kinds = []string{"v1 ConfigMap", "v1 Pod", "v1 Pod", "v1 Pod", "v1 Service", "v1 Node", "v1 Secret", "v1 Namespace",
		"v1 PersistentVolume", "v1 PersistentVolumeClaim", "v1 ServiceAccount", "v1 Endpoints", "v1 ReplicationController",
		"v1 ResourceQuota", "v1 LimitRange", "apps/v1 Deployment", "apps/v1 Deployment", "apps/v1 ReplicaSet",
		"apps/v1 StatefulSet", "apps/v1 DaemonSet", "batch/v1 Job", "batch/v1 CronJob", "coordination.k8s.io/v1 Lease",
		"discovery.k8s.io/v1 EndpointSlice", "policy/v1 PodDisruptionBudget", "scheduling.k8s.io/v1 PriorityClass",
		"storage.k8s.io/v1 StorageClass", "storage.k8s.io/v1 CSINode", "storage.k8s.io/v1 CSIDriver",
		"resource.k8s.io/v1 ResourceClaim", "resource.k8s.io/v1 ResourceSlice", "resource.k8s.io/v1 DeviceClass",
		"networking.k8s.io/v1 Ingress", "networking.k8s.io/v1 NetworkPolicy", "rbac.authorization.k8s.io/v1 ClusterRole"}
	converter = applyconfigurations.NewTypeConverter(scheme.Scheme)
	now       = metav1.Time{Time: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	started   = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
)

type cause struct {
	Message string `json:"message"`
	Field   string `json:"field"`
}

type failure struct {
	Code    int32   `json:"code"`
	Message string  `json:"message"`
	Causes  []cause `json:"causes,omitempty"`
}

type step struct {
	Op          string          `json:"op"`
	APIVersion  string          `json:"apiVersion"`
	Kind        string          `json:"kind"`
	Manager     string          `json:"manager"`
	Subresource string          `json:"subresource,omitempty"`
	Force       bool            `json:"force,omitempty"`
	Now         metav1.Time     `json:"now"`
	Live        json.RawMessage `json:"live"`
	Object      json.RawMessage `json:"object"`
	Result      json.RawMessage `json:"result,omitempty"`
	Error       *failure        `json:"error,omitempty"`
}

func text(object any) json.RawMessage {
	data, err := json.Marshal(object)
	if err != nil {
		log.Fatal(err)
	}
	return data
}

func access(object runtime.Object) metav1.Object {
	accessor, err := meta.Accessor(object)
	if err != nil {
		log.Fatal(err)
	}
	return accessor
}

func newManager(kind schema.GroupVersionKind, subresource string) *managedfields.FieldManager {
	reset := "status"
	if subresource != "" {
		reset = "spec"
	}
	filters := map[fieldpath.APIVersion]fieldpath.Filter{
		fieldpath.APIVersion(kind.GroupVersion().String()): fieldpath.NewExcludeSetFilter(
			fieldpath.NewSet(fieldpath.MakePathOrDie(reset))),
	}
	objects := runtime.UnsafeObjectConvertor(scheme.Scheme)
	manager, err := managedfields.NewDefaultFieldManager(converter, objects, scheme.Scheme, scheme.Scheme, kind,
		kind.GroupVersion(), subresource, filters)
	if err != nil {
		log.Fatal(err)
	}
	return manager
}

func fail(err error) *failure {
	status, ok := err.(*errors.StatusError)
	if !ok {
		// Upstream walks maps.
		lines := strings.Split(err.Error(), "\n")
		sort.Strings(lines[1:])
		return &failure{Code: 500, Message: strings.Join(lines, "\n")}
	}
	result := &failure{Code: status.ErrStatus.Code, Message: status.ErrStatus.Message}
	if status.ErrStatus.Details != nil {
		for _, c := range status.ErrStatus.Details.Causes {
			result.Causes = append(result.Causes, cause{c.Message, c.Field})
		}
	}
	sort.SliceStable(result.Causes, func(i, j int) bool { return result.Causes[i].Message < result.Causes[j].Message })
	return result
}

// isOther tells whether the error is none of the field manager: it comes from Go's types, or the object before has items
// without keys, which validation refuses. And if a field is unknown, it depends on chance what else is reported.
func isOther(err error) bool {
	message := err.Error()
	return strings.HasPrefix(message, "failed to convert new object") || strings.Contains(message, "typed live object") ||
		strings.Contains(message, "existing fields") || strings.Contains(message, "not declared") && strings.Contains(message, "\n")
}

// setTimes replaces the times of this run by the given one.
func setTimes(object runtime.Object, to metav1.Time, after time.Time) {
	entries := access(object).GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil && entries[i].Time.After(after) {
			entries[i].Time = &to
		}
	}
	access(object).SetManagedFields(entries)
}

type sequence struct {
	filler
	kind  schema.GroupVersionKind
	live  runtime.Object // Null if there is none.
	steps int
	many  bool // Many managers.
	out   *json.Encoder
}

func (s *sequence) empty() runtime.Object {
	object, err := scheme.Scheme.New(s.kind)
	if err != nil {
		log.Fatal(err)
	}
	object.GetObjectKind().SetGroupVersionKind(s.kind)
	return object
}

// decode makes an object as clients and the store see it, without anything that JSON cannot say.
func (s *sequence) decode(data []byte) runtime.Object {
	object := s.empty()
	if err := json.Unmarshal(data, object); err != nil {
		log.Fatal(err)
	}
	return object
}

func (s *sequence) manager() string {
	if s.many {
		return fmt.Sprintf("m%d", s.IntN(25))
	}
	return []string{"kubectl", "a", "b", "kube \"c\"", "kubectl-client-side-apply", ""}[s.IntN(6)]
}

func (s *sequence) subresource() string {
	if s.live != nil && s.IntN(4) == 0 {
		return "status"
	}
	return ""
}

// send is what a client sends: a new object, or a changed one.
func (s *sequence) send() runtime.Object {
	if s.live == nil {
		object := s.empty()
		s.fill(reflect.ValueOf(object).Elem(), 0, -1)
		s.fillMeta(object)
		return object
	}
	object := s.live.DeepCopyObject()
	if s.IntN(8) != 0 {
		s.mutate(reflect.ValueOf(object).Elem(), 0)
		if s.IntN(3) == 0 {
			s.fillMeta(object)
		}
	}
	s.spoil(object)
	return object
}

func (s *sequence) fillMeta(object runtime.Object) {
	accessor := access(object)
	accessor.SetName("x")
	accessor.SetNamespace("ns")
	labels := map[string]string{}
	annotations := map[string]string{}
	for range s.IntN(3) {
		labels[words[s.IntN(3)]] = words[s.IntN(3)]
		annotations[words[s.IntN(3)]] = words[s.IntN(3)]
	}
	accessor.SetLabels(labels)
	accessor.SetAnnotations(annotations)
	accessor.SetFinalizers(words[s.IntN(2) : 2+s.IntN(2)])
	accessor.SetOwnerReferences(nil)
	if s.IntN(4) == 0 {
		config := s.config(object)
		annotations[lastApplied] = string(text(config.Object))
	}
}

// spoil changes the managed fields as clients do.
func (s *sequence) spoil(object runtime.Object) {
	accessor := access(object)
	entries := accessor.GetManagedFields()
	switch s.IntN(24) {
	case 0, 1:
		accessor.SetManagedFields(nil)
	case 2:
		accessor.SetManagedFields([]metav1.ManagedFieldsEntry{{}})
	case 3:
		if len(entries) > 0 {
			entries[0].Operation = "Other"
		}
	case 4:
		if len(entries) > 1 {
			accessor.SetManagedFields(entries[1:])
		}
	case 5:
		if len(entries) > 0 {
			entries[0].APIVersion = "other/v9"
		}
	case 6:
		if len(entries) > 0 {
			raw := []string{`{"f:metadata":{"f:labels":{"f:a":{}}},"x:y":{}}`, `{"f:spec":{"f:selector":{"f:a":{".":{}}}}}`,
				`{"f:spec":{"f:ports":{"k:{\"protocol\":\"TCP\", \"containerPort\":80}":{}}}}`, `{"nothing":{}}`,
				`{"f:metadata":{"f:finalizers":{"v:\"a\"":{".":{}}}}}`}[s.IntN(5)]
			entries[0].FieldsV1 = &metav1.FieldsV1{Raw: []byte(raw)}
		}
	}
}

// config is a part of an object as a manager applies it.
func (s *sequence) config(of runtime.Object) *unstructured.Unstructured {
	var content map[string]any
	if err := json.Unmarshal(text(of), &content); err != nil {
		log.Fatal(err)
	}
	delete(content["metadata"].(map[string]any), "managedFields")
	if annotations, ok := content["metadata"].(map[string]any)["annotations"].(map[string]any); ok {
		delete(annotations, lastApplied)
	}
	if s.IntN(3) != 0 {
		delete(content, "status")
	}
	s.thin(content, 2+s.IntN(6))
	content["apiVersion"], content["kind"] = s.kind.GroupVersion().String(), s.kind.Kind
	if _, ok := content["metadata"].(map[string]any); !ok {
		content["metadata"] = map[string]any{}
	}
	content["metadata"].(map[string]any)["name"] = "x"
	result := &unstructured.Unstructured{}
	if err := result.UnmarshalJSON(text(content)); err != nil {
		log.Fatal(err)
	}
	return result
}

func (s *sequence) makeConfig() *unstructured.Unstructured {
	f := s.filler
	s.filler.duplicates = s.IntN(20) == 0
	defer func() { s.filler = f }()
	live := s.live
	if s.IntN(2) == 0 {
		s.live = nil
	}
	object := s.send()
	s.live = live
	config := s.config(object)
	switch s.IntN(40) {
	case 0:
		config.Object = map[string]any{"apiVersion": config.GetAPIVersion(), "kind": config.GetKind(), "speck": nil}
	case 1:
		unstructured.SetNestedField(config.Object, int64(5), "metadata", "labels", "a")
	case 2:
		unstructured.SetNestedField(config.Object, "x", "metadata", "finalizers")
	case 3:
		unstructured.SetNestedSlice(config.Object, []any{}, "metadata", "managedFields")
	case 4:
		config.Object["kind"] = "Other"
	case 5:
		config.Object["spec"] = map[string]any{"replicas": "x"}
	case 6:
		unstructured.SetNestedField(config.Object, []any{map[string]any{}}, "metadata", "ownerReferences")
	case 7:
		unstructured.SetNestedField(config.Object, []any{nil}, "metadata", "finalizers")
	}
	return config
}

func (s *sequence) run() {
	record := step{APIVersion: s.kind.GroupVersion().String(), Kind: s.kind.Kind, Manager: s.manager(),
		Subresource: s.subresource(), Now: now, Live: text(s.live)}
	manager := newManager(s.kind, record.Subresource)
	live := s.empty()
	if s.live != nil {
		live = s.live.DeepCopyObject()
	}
	var result runtime.Object
	var err error
	if s.many || s.IntN(2) == 0 {
		record.Op = "update"
		record.Object = text(s.send())
		result, err = manager.Update(live, s.decode(record.Object), record.Manager)
		if err != nil {
			return // An item without keys, which validation refuses.
		}
	} else {
		record.Op = "apply"
		record.Force = s.IntN(3) == 0
		config := s.makeConfig()
		record.Object = text(config.Object)
		result, err = manager.Apply(live, config, record.Manager, record.Force)
		if err != nil && isOther(err) {
			return
		}
	}
	s.steps++
	if err != nil {
		record.Error = fail(err)
	} else {
		setTimes(result, now, started)
		result.GetObjectKind().SetGroupVersionKind(s.kind)
		record.Result = text(result)
		s.live = s.decode(record.Result)
		access(s.live).SetUID("u")
		setTimes(s.live, metav1.Time{Time: time.Date(2020, 1, 1, 0, s.steps/2, 0, 0, time.UTC)}, started)
	}
	if err := s.out.Encode(record); err != nil {
		log.Fatal(err)
	}
}

func main() {
	seed := flag.Uint64("seed", 1, "of the random numbers")
	count := flag.Int("n", 100, "sequences")
	flag.Parse()
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	for i := range *count {
		random := rand.New(rand.NewPCG(*seed, uint64(i)))
		name := strings.Fields(kinds[i%len(kinds)])
		s := &sequence{filler: filler{random, i%5 == 0}, kind: schema.FromAPIVersionAndKind(name[0], name[1]),
			many: i%17 == 0, out: json.NewEncoder(writer)}
		steps := 4 + s.IntN(8)
		if s.many {
			steps = 30
		}
		for range steps {
			s.run()
		}
	}
}
