// SPDX-License-Identifier: Apache-2.0

// Command informers does with an API server what programs written with client-go do: shared informers, every kind of
// patch, pages, watches from a revision, eviction, leader election. It checks what the informers saw, and ends with 0 if
// all was as it should be.
//
//	informers -kubeconfig FILE [-protobuf]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

const (
	namespace = "clients"
	podCount  = 25
	patience  = 60 * time.Second
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "where the server is")
	protobuf := flag.Bool("protobuf", false, "talk in protobuf, as the control plane's own programs do")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	check(err, "kubeconfig")
	config.QPS, config.Burst = -1, -1
	if *protobuf {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	}
	client, err := kubernetes.NewForConfig(config)
	check(err, "client")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()

	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	check(err, "create the namespace")
	seen := startInformers(ctx, client)
	createPods(ctx, client, seen)
	listInPages(ctx, client)
	patchPod(ctx, client, seen)
	updateWithConflict(ctx, client, seen)
	watchFromRevision(ctx, client)
	evictAndDelete(ctx, client, seen)
	electLeader(ctx, client)
	deleteNamespace(ctx, client)
	fmt.Println("all as it should be")
}

func check(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func fail(format string, args ...any) {
	fmt.Printf("FAIL: "+format+"\n", args...)
	os.Exit(1)
}

func require(isTrue bool, format string, args ...any) {
	if !isTrue {
		fail(format, args...)
	}
}

func eventually(what string, condition func() bool) {
	for end := time.Now().Add(patience); !condition(); time.Sleep(10 * time.Millisecond) {
		require(time.Now().Before(end), "not within %v: %s", patience, what)
	}
	fmt.Println("ok  ", what)
}

// What the informers told.
type sightings struct {
	mutex                   sync.Mutex
	added, deleted, updated map[string]int
	pods                    cache.SharedIndexInformer
	factory                 informers.SharedInformerFactory
}

func (s *sightings) count(events map[string]int, name string) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return events[name]
}

func (s *sightings) pod(name string) *corev1.Pod {
	pod, err := s.factory.Core().V1().Pods().Lister().Pods(namespace).Get(name)
	if err != nil {
		return nil
	}
	return pod
}

func startInformers(ctx context.Context, client kubernetes.Interface) *sightings {
	seen := &sightings{added: map[string]int{}, deleted: map[string]int{}, updated: map[string]int{}}
	seen.factory = informers.NewSharedInformerFactory(client, 0)
	seen.pods = seen.factory.Core().V1().Pods().Informer()
	nodes := seen.factory.Core().V1().Nodes()
	nodes.Informer()
	record := func(events map[string]int, object any) {
		if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = gone.Obj
		}
		seen.mutex.Lock()
		defer seen.mutex.Unlock()
		events[object.(*corev1.Pod).Name]++
	}
	_, err := seen.pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { record(seen.added, object) },
		UpdateFunc: func(_, object any) { record(seen.updated, object) },
		DeleteFunc: func(object any) { record(seen.deleted, object) },
	})
	check(err, "add a handler")
	seen.factory.Start(ctx.Done())
	for kind, synced := range seen.factory.WaitForCacheSync(ctx.Done()) {
		require(synced, "the informer of %v is not synced", kind)
	}
	listed, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	check(err, "list nodes")
	known, err := nodes.Lister().List(labels.Everything())
	check(err, "list nodes of the informer")
	require(len(listed.Items) > 0 && len(known) == len(listed.Items), "%d nodes, and the informer has %d", len(listed.Items), len(known))
	fmt.Println("ok   informers are synced")
	return seen
}

func name(index int) string { return fmt.Sprintf("pod-%02d", index) }

func newPod(podName string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: podName, Namespace: namespace, Labels: map[string]string{"app": "clients"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.k8s.io/pause:3.10",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m")}}}}},
	}
}

func createPods(ctx context.Context, client kubernetes.Interface, seen *sightings) {
	for index := range podCount {
		created, err := client.CoreV1().Pods(namespace).Create(ctx, newPod(name(index)), metav1.CreateOptions{})
		check(err, "create a pod")
		require(created.UID != "" && created.ResourceVersion != "" && created.Spec.SchedulerName == "default-scheduler",
			"the created pod is incomplete: %v", created)
	}
	_, err := client.CoreV1().Pods(namespace).Create(ctx, newPod(name(0)), metav1.CreateOptions{})
	require(apierrors.IsAlreadyExists(err), "creating it twice: %v", err)
	_, err = client.CoreV1().Pods(namespace).Create(ctx, newPod("Not_A_Name"), metav1.CreateOptions{})
	require(apierrors.IsInvalid(err), "a bad name: %v", err)
	eventually("the informer saw every pod run", func() bool {
		for index := range podCount {
			pod := seen.pod(name(index))
			if seen.count(seen.added, name(index)) != 1 || pod == nil || pod.Status.Phase != corev1.PodRunning || pod.Status.PodIP == "" {
				return false
			}
		}
		return true
	})
}

func listInPages(ctx context.Context, client kubernetes.Interface) {
	names, token, pages := map[string]bool{}, "", 0
	for {
		list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{Limit: 10, Continue: token})
		check(err, "list a page")
		for _, pod := range list.Items {
			names[pod.Name] = true
		}
		pages++
		if token = list.Continue; token == "" {
			break
		}
		require(list.RemainingItemCount != nil && *list.RemainingItemCount == int64(podCount-10*pages), "remaining: %v", list.RemainingItemCount)
	}
	require(len(names) == podCount && pages == 3, "%d pods on %d pages", len(names), pages)
	selected, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=clients", FieldSelector: "metadata.name=pod-03"})
	check(err, "list by selectors")
	require(len(selected.Items) == 1, "%d pods are selected", len(selected.Items))
	fmt.Println("ok   pages and selectors")
}

func patchPod(ctx context.Context, client kubernetes.Interface, seen *sightings) {
	pods := client.CoreV1().Pods(namespace)
	for _, patch := range []struct {
		kind types.PatchType
		body string
	}{
		{types.JSONPatchType, `[{"op":"add","path":"/metadata/labels/json","value":"yes"}]`},
		{types.MergePatchType, `{"metadata":{"labels":{"merge":"yes"}}}`},
		{types.StrategicMergePatchType, `{"metadata":{"labels":{"strategic":"yes"}},"spec":{"containers":[{"name":"main","image":"changed"}]}}`},
		{types.ApplyPatchType, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-00","labels":{"apply":"yes"}}}`},
	} {
		options := metav1.PatchOptions{}
		if patch.kind == types.ApplyPatchType {
			options.FieldManager = "clients"
		}
		_, err := pods.Patch(ctx, name(0), patch.kind, []byte(patch.body), options)
		check(err, string(patch.kind))
	}
	before, err := pods.Get(ctx, name(0), metav1.GetOptions{})
	check(err, "get")
	after, err := pods.Patch(ctx, name(0), types.MergePatchType, []byte(`{"metadata":{"labels":{"merge":"yes"}}}`), metav1.PatchOptions{})
	check(err, "a patch that changes nothing")
	require(after.ResourceVersion == before.ResourceVersion, "a patch that changes nothing made revision %s of %s", after.ResourceVersion, before.ResourceVersion)

	applied, err := pods.Apply(ctx, applycorev1.Pod(name(0), namespace).WithLabels(map[string]string{"typed": "yes"}), metav1.ApplyOptions{FieldManager: "clients"})
	check(err, "apply")
	require(applied.Labels["typed"] == "yes" && applied.Labels["apply"] == "", "labels after the second apply: %v", applied.Labels)
	_, err = pods.Apply(ctx, applycorev1.Pod(name(0), namespace).WithLabels(map[string]string{"typed": "no"}), metav1.ApplyOptions{FieldManager: "another"})
	require(apierrors.IsConflict(err), "another manager's apply: %v", err)
	eventually("the informer saw the patches", func() bool {
		pod := seen.pod(name(0))
		return pod.Labels["json"] == "yes" && pod.Labels["merge"] == "yes" && pod.Labels["strategic"] == "yes" &&
			pod.Labels["typed"] == "yes" && pod.Spec.Containers[0].Image == "changed"
	})
}

func updateWithConflict(ctx context.Context, client kubernetes.Interface, seen *sightings) {
	pods := client.CoreV1().Pods(namespace)
	stale, err := pods.Get(ctx, name(1), metav1.GetOptions{})
	check(err, "get")
	check(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		fresh, err := pods.Get(ctx, name(1), metav1.GetOptions{})
		check(err, "get")
		fresh.Annotations = map[string]string{"updated": "yes"}
		_, err = pods.Update(ctx, fresh, metav1.UpdateOptions{})
		return err
	}), "update")
	stale.Annotations = map[string]string{"updated": "stale"}
	_, err = pods.Update(ctx, stale, metav1.UpdateOptions{})
	require(apierrors.IsConflict(err), "an update of an old revision: %v", err)

	fresh, err := pods.Get(ctx, name(1), metav1.GetOptions{})
	check(err, "get")
	fresh.Status.Message = "from the client"
	_, err = pods.UpdateStatus(ctx, fresh, metav1.UpdateOptions{})
	check(err, "update the status")
	eventually("the informer saw the updates", func() bool {
		pod := seen.pod(name(1))
		return pod.Annotations["updated"] == "yes" && pod.Status.Message == "from the client"
	})
}

func watchFromRevision(ctx context.Context, client kubernetes.Interface) {
	pods := client.CoreV1().Pods(namespace)
	list, err := pods.List(ctx, metav1.ListOptions{})
	check(err, "list")
	for _, value := range []string{"1", "2", "3"} {
		_, err := pods.Patch(ctx, name(2), types.MergePatchType, []byte(`{"metadata":{"annotations":{"n":"`+value+`"}}}`), metav1.PatchOptions{})
		check(err, "patch")
	}
	watched, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion, FieldSelector: "metadata.name=" + name(2)})
	check(err, "watch")
	defer watched.Stop()
	for _, value := range []string{"1", "2", "3"} {
		select {
		case event := <-watched.ResultChan():
			pod, ok := event.Object.(*corev1.Pod)
			require(ok && event.Type == watch.Modified && pod.Annotations["n"] == value, "expected change %s: %v", value, event)
		case <-time.After(patience):
			fail("no event of change %s", value)
		}
	}
	fmt.Println("ok   a watch tells what has changed since its revision")
}

func evictAndDelete(ctx context.Context, client kubernetes.Interface, seen *sightings) {
	pods := client.CoreV1().Pods(namespace)
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name(3), Namespace: namespace}}
	check(pods.EvictV1(ctx, eviction), "evict")
	require(apierrors.IsNotFound(pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "none", Namespace: namespace}})), "evicted what is not there")
	check(pods.Delete(ctx, name(4), metav1.DeleteOptions{GracePeriodSeconds: new(int64)}), "delete")
	eventually("the informer saw the evicted and the deleted pod go", func() bool {
		return seen.count(seen.deleted, name(3)) == 1 && seen.count(seen.deleted, name(4)) == 1 && seen.pod(name(3)) == nil
	})
	check(pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{LabelSelector: "app=clients"}), "delete all")
	eventually("the informer saw all pods go", func() bool {
		left, err := seen.factory.Core().V1().Pods().Lister().Pods(namespace).List(labels.Everything())
		return err == nil && len(left) == 0
	})
	for index := range podCount {
		require(seen.count(seen.added, name(index)) == 1 && seen.count(seen.deleted, name(index)) == 1, "%s was added %d times and deleted %d times",
			name(index), seen.count(seen.added, name(index)), seen.count(seen.deleted, name(index)))
	}
}

func electLeader(ctx context.Context, client kubernetes.Interface) {
	leading := make(chan string, 2)
	run := func(ctx context.Context, identity string) {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Name: "clients", Namespace: namespace}, Client: client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: identity}},
			LeaseDuration: 4 * time.Second, RenewDeadline: 3 * time.Second, RetryPeriod: 500 * time.Millisecond, ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { leading <- identity }, OnStoppedLeading: func() {}},
		})
	}
	first, stopFirst := context.WithCancel(ctx)
	second, stopSecond := context.WithCancel(ctx)
	defer stopSecond()
	go run(first, "first")
	require(<-leading == "first", "the first does not lead")
	go run(second, "second")
	time.Sleep(time.Second)
	require(len(leading) == 0, "two lead at once")
	stopFirst()
	select {
	case identity := <-leading:
		require(identity == "second", "%s leads", identity)
	case <-time.After(patience):
		fail("the second does not lead")
	}
	fmt.Println("ok   leader election")
}

func deleteNamespace(ctx context.Context, client kubernetes.Interface) {
	check(client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}), "delete the namespace")
	eventually("the namespace is gone", func() bool {
		_, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}
