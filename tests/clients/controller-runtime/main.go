// SPDX-License-Identifier: Apache-2.0

// Command controller-runtime is a controller as they are written with controller-runtime, and its test: for each
// HorizontalPodAutoscaler with a label it keeps a Deployment of the smallest size, tells about it in the status, and takes
// away what no owner reference holds when the autoscaler goes. Ends with 0 if all was as it should be.
//
//	controller-runtime -kubeconfig FILE
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	namespace  = "fleet"
	leaseName  = "fleet-controller"
	fleetCount = 5
	patience   = 60 * time.Second
)

func main() {
	flag.Parse() // The library has -kubeconfig.
	ctrl.SetLogger(klog.Background())
	config, err := ctrl.GetConfig()
	check(err, "kubeconfig")
	api, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	check(err, "client")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	check(api.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}), "create the namespace")

	first, second := startManager(ctx, config, "first"), startManager(ctx, config, "second")
	test := &trial{ctx: ctx, api: api}
	test.make()
	test.change()
	test.restore()
	holder := test.holder()
	leading, waiting := first, second
	select {
	case <-second.manager.Elected():
		leading, waiting = second, first
	default:
	}
	leading.stop()
	<-waiting.manager.Elected()
	require(test.holder() != holder, "%s still holds the lease", holder)
	test.remove()
	waiting.stop()
	fmt.Println("all as it should be")
}

// A manager, which runs until it is stopped.
type running struct {
	manager ctrl.Manager
	cancel  context.CancelFunc
	ended   chan error
}

func startManager(ctx context.Context, config *rest.Config, name string) *running {
	anyName, lease, renew, retry := true, 4*time.Second, 3*time.Second, 500*time.Millisecond
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:         scheme.Scheme,
		Metrics:        metricsserver.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionID: leaseName, LeaderElectionNamespace: namespace, LeaderElectionReleaseOnCancel: true,
		LeaseDuration: &lease, RenewDeadline: &renew, RetryPeriod: &retry,
	})
	check(err, "manager")
	check(addReconciler(ctx, manager, name, &anyName), "reconciler")
	ctx, cancel := context.WithCancel(ctx)
	started := &running{manager: manager, cancel: cancel, ended: make(chan error, 1)}
	go func() { started.ended <- manager.Start(ctx) }()
	require(manager.GetCache().WaitForCacheSync(ctx), "the caches of the %s manager are not synced", name)
	return started
}

func (r *running) stop() {
	r.cancel()
	check(<-r.ended, "the end of a manager")
}

// What a user of the controller does and expects.
type trial struct {
	ctx context.Context
	api client.Client
}

func fleetName(index int) string { return fmt.Sprintf("fleet-%d", index) }

func (t *trial) fleet(index int) *autoscalingv2.HorizontalPodAutoscaler {
	found := &autoscalingv2.HorizontalPodAutoscaler{}
	if err := t.api.Get(t.ctx, client.ObjectKey{Namespace: namespace, Name: fleetName(index)}, found); err != nil {
		require(apierrors.IsNotFound(err), "get: %v", err)
		return nil
	}
	return found
}

func (t *trial) make() {
	for index := range fleetCount {
		smallest := int32(index + 1)
		check(t.api.Create(t.ctx, &autoscalingv2.HorizontalPodAutoscaler{
			ObjectMeta: metav1.ObjectMeta{Name: fleetName(index), Namespace: namespace, Labels: map[string]string{fleetLabel: "yes"}},
			Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: &smallest, MaxReplicas: 10,
				ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: fleetName(index)}},
		}), "create a fleet")
	}
	check(t.api.Create(t.ctx, &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: namespace},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 10,
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "other"}},
	}), "create what is no fleet")
	for index := range fleetCount {
		t.awaitSize(index, int32(index+1))
	}
	deployments := &appsv1.DeploymentList{}
	check(t.api.List(t.ctx, deployments, client.InNamespace(namespace)), "list deployments")
	require(len(deployments.Items) == fleetCount, "%d deployments", len(deployments.Items))
	for _, deployment := range deployments.Items {
		owner := metav1.GetControllerOf(&deployment)
		require(owner != nil && owner.Kind == "HorizontalPodAutoscaler" && owner.Name == deployment.Name, "owner: %v", owner)
		applied := false
		for _, entry := range deployment.ManagedFields {
			applied = applied || entry.Manager == string(fieldOwner) && entry.Operation == metav1.ManagedFieldsOperationApply
		}
		require(applied, "managed fields: %v", deployment.ManagedFields)
	}
	eventually("an event was recorded", func() bool {
		events := &corev1.EventList{}
		check(t.api.List(t.ctx, events, client.InNamespace(namespace)), "list events")
		for _, event := range events.Items {
			if event.Reason == "Sized" && event.InvolvedObject.Kind == "HorizontalPodAutoscaler" {
				return true
			}
		}
		return false
	})
}

func (t *trial) awaitSize(index int, size int32) {
	eventually(fmt.Sprintf("%s has %d replicas", fleetName(index), size), func() bool {
		found := t.fleet(index)
		return found != nil && found.Status.CurrentReplicas == size && found.Status.DesiredReplicas == size &&
			len(found.Status.Conditions) == 1 && found.Status.Conditions[0].Status == corev1.ConditionTrue
	})
}

// A patch of the parent reaches the child.
func (t *trial) change() {
	for index := range fleetCount {
		found := t.fleet(index)
		base := client.MergeFrom(found.DeepCopy())
		smallest := int32(7)
		found.Spec.MinReplicas = &smallest
		check(t.api.Patch(t.ctx, found, base), "patch a fleet")
	}
	for index := range fleetCount {
		t.awaitSize(index, 7)
	}
}

// A child that is deleted comes back.
func (t *trial) restore() {
	deployment := &appsv1.Deployment{}
	key := client.ObjectKey{Namespace: namespace, Name: fleetName(2)}
	check(t.api.Get(t.ctx, key, deployment), "get a deployment")
	before := deployment.UID
	check(t.api.Delete(t.ctx, deployment, client.PropagationPolicy(metav1.DeletePropagationForeground)), "delete a deployment")
	eventually("the deployment is there again", func() bool {
		return t.api.Get(t.ctx, key, deployment) == nil && deployment.UID != before && deployment.Status.ReadyReplicas == 7
	})
	t.awaitSize(2, 7)
}

func (t *trial) holder() string {
	lease := &coordinationv1.Lease{}
	check(t.api.Get(t.ctx, client.ObjectKey{Namespace: namespace, Name: leaseName}, lease), "get the lease")
	require(lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "", "nobody holds the lease")
	return *lease.Spec.HolderIdentity
}

// The finalizer is run, and the children are collected.
func (t *trial) remove() {
	check(t.api.DeleteAllOf(t.ctx, &autoscalingv2.HorizontalPodAutoscaler{}, client.InNamespace(namespace), client.MatchingLabels{fleetLabel: "yes"}), "delete the fleets")
	eventually("the fleets are gone with all that was theirs", func() bool {
		for index := range fleetCount {
			if t.fleet(index) != nil {
				return false
			}
		}
		deployments, pods, notes := &appsv1.DeploymentList{}, &corev1.PodList{}, &corev1.ConfigMapList{}
		check(t.api.List(t.ctx, deployments, client.InNamespace(namespace)), "list deployments")
		check(t.api.List(t.ctx, pods, client.InNamespace(namespace)), "list pods")
		check(t.api.List(t.ctx, notes, client.InNamespace(notesNamespace), client.HasLabels{fleetLabel}), "list notes")
		return len(deployments.Items)+len(pods.Items)+len(notes.Items) == 0
	})
}

func check(err error, what string) { require(err == nil, "%s: %v", what, err) }

func require(isTrue bool, format string, args ...any) {
	if !isTrue {
		fmt.Printf("FAIL: "+format+"\n", args...)
		os.Exit(1)
	}
}

func eventually(what string, condition func() bool) {
	for end := time.Now().Add(patience); !condition(); time.Sleep(20 * time.Millisecond) {
		require(time.Now().Before(end), "not within %v: %s", patience, what)
	}
	fmt.Println("ok  ", what)
}
