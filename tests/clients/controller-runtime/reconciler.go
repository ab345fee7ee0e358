// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const (
	fleetLabel     = "clients.example.com/fleet"
	finalizer      = "clients.example.com/notes"
	fieldOwner     = client.FieldOwner("fleet-controller")
	notesNamespace = "default" // Owner references do not cross namespaces.
	ownerIndex     = "controller"
)

// Keeps a Deployment and a note for each fleet. All that it reads comes from the manager's cache.
type reconciler struct {
	client.Client
	events events.EventRecorder
}

func addReconciler(ctx context.Context, manager ctrl.Manager, name string, skipNameValidation *bool) error {
	err := manager.GetFieldIndexer().IndexField(ctx, &appsv1.ReplicaSet{}, ownerIndex, func(object client.Object) []string {
		if owner := metav1.GetControllerOf(object); owner != nil {
			return []string{owner.Name}
		}
		return nil
	})
	if err != nil {
		return err
	}
	isFleet, err := predicate.LabelSelectorPredicate(metav1.LabelSelector{MatchLabels: map[string]string{fleetLabel: "yes"}})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(manager).Named("fleet").
		For(&autoscalingv2.HorizontalPodAutoscaler{}).Owns(&appsv1.Deployment{}).WithEventFilter(isFleet).
		WithOptions(controller.Options{MaxConcurrentReconciles: 3, SkipNameValidation: skipNameValidation}).
		Complete(&reconciler{Client: manager.GetClient(), events: manager.GetEventRecorder("fleet-" + name)})
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	fleet := &autoscalingv2.HorizontalPodAutoscaler{}
	if err := r.Get(ctx, request.NamespacedName, fleet); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	note := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: notesNamespace, Name: "note-" + fleet.Name}}
	if !fleet.DeletionTimestamp.IsZero() {
		if err := r.Delete(ctx, note); client.IgnoreNotFound(err) != nil {
			return ctrl.Result{}, err
		}
		base := client.MergeFrom(fleet.DeepCopy())
		if !controllerutil.RemoveFinalizer(fleet, finalizer) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, client.IgnoreNotFound(r.Patch(ctx, fleet, base))
	}
	if base := fleet.DeepCopy(); controllerutil.AddFinalizer(fleet, finalizer) {
		return ctrl.Result{}, ignoreConflict(r.Patch(ctx, fleet, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})))
	}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, note, func() error {
		note.Labels, note.Data = map[string]string{fleetLabel: "yes"}, map[string]string{"size": fmt.Sprint(*fleet.Spec.MinReplicas)}
		return nil
	}); err != nil {
		return ctrl.Result{}, ignoreConflict(client.IgnoreAlreadyExists(err))
	}
	if err := r.Apply(ctx, deploymentOf(fleet), fieldOwner, client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.report(ctx, fleet)
}

func deploymentOf(fleet *autoscalingv2.HorizontalPodAutoscaler) *appsapply.DeploymentApplyConfiguration {
	labels := map[string]string{"fleet": fleet.Name}
	owner := metaapply.OwnerReference().WithAPIVersion("autoscaling/v2").WithKind("HorizontalPodAutoscaler").
		WithName(fleet.Name).WithUID(fleet.UID).WithController(true).WithBlockOwnerDeletion(true)
	return appsapply.Deployment(fleet.Name, fleet.Namespace).WithOwnerReferences(owner).WithLabels(map[string]string{fleetLabel: "yes"}).
		WithSpec(appsapply.DeploymentSpec().WithReplicas(*fleet.Spec.MinReplicas).
			WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).WithSpec(
				coreapply.PodSpec().WithContainers(coreapply.Container().WithName("main").WithImage("main")))))
}

// Patches the status if it says something else than what is there.
func (r *reconciler) report(ctx context.Context, fleet *autoscalingv2.HorizontalPodAutoscaler) error {
	deployment, sets := &appsv1.Deployment{}, &appsv1.ReplicaSetList{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(fleet), deployment); err != nil {
		return client.IgnoreNotFound(err) // The cache will know it, and call again.
	}
	if err := r.List(ctx, sets, client.InNamespace(fleet.Namespace), client.MatchingFields{ownerIndex: fleet.Name}); err != nil {
		return err
	}
	if len(sets.Items) > 1 {
		return fmt.Errorf("%s has %d ReplicaSets", fleet.Name, len(sets.Items))
	}
	base := fleet.DeepCopy()
	fleet.Status.CurrentReplicas, fleet.Status.DesiredReplicas = deployment.Status.ReadyReplicas, *fleet.Spec.MinReplicas
	state := corev1.ConditionFalse
	if fleet.Status.CurrentReplicas == fleet.Status.DesiredReplicas {
		state = corev1.ConditionTrue
	}
	if len(base.Status.Conditions) == 0 || base.Status.Conditions[0].Status != state {
		fleet.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{
			{Type: autoscalingv2.AbleToScale, Status: state, Reason: "Sized", LastTransitionTime: metav1.Now()}}
		r.events.Eventf(fleet, nil, corev1.EventTypeNormal, "Sized", "Size", "%d of %d", fleet.Status.CurrentReplicas, fleet.Status.DesiredReplicas)
	}
	if equality.Semantic.DeepEqual(base.Status, fleet.Status) {
		return nil
	}
	return client.IgnoreNotFound(r.Status().Patch(ctx, fleet, client.MergeFrom(base)))
}

// Somebody else was first: the cache will call again.
func ignoreConflict(err error) error {
	if apierrors.IsConflict(err) {
		return nil
	}
	return err
}
