// SPDX-License-Identifier: Apache-2.0

// Package kinds lists the kinds of the Kubernetes API that Berth speaks.
package kinds

import (
	"reflect"
	"sort"

	"wire-table/coscheduling"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Kind is one kind with the Go type that stands for it.
type Kind struct {
	Version schema.GroupVersion
	Name    string
	Type    reflect.Type
}

type group struct {
	version schema.GroupVersion
	add     func(*runtime.Scheme) error
}

var groups = []group{
	{corev1.SchemeGroupVersion, corev1.AddToScheme},
	{admissionregistrationv1.SchemeGroupVersion, admissionregistrationv1.AddToScheme},
	{apiextensionsv1.SchemeGroupVersion, apiextensionsv1.AddToScheme},
	{apiregistrationv1.SchemeGroupVersion, apiregistrationv1.AddToScheme},
	{appsv1.SchemeGroupVersion, appsv1.AddToScheme},
	{authenticationv1.SchemeGroupVersion, authenticationv1.AddToScheme},
	{authorizationv1.SchemeGroupVersion, authorizationv1.AddToScheme},
	{autoscalingv1.SchemeGroupVersion, autoscalingv1.AddToScheme},
	{autoscalingv2.SchemeGroupVersion, autoscalingv2.AddToScheme},
	{batchv1.SchemeGroupVersion, batchv1.AddToScheme},
	{certificatesv1.SchemeGroupVersion, certificatesv1.AddToScheme},
	{coordinationv1.SchemeGroupVersion, coordinationv1.AddToScheme},
	{coordinationv1beta1.SchemeGroupVersion, coordinationv1beta1.AddToScheme},
	{discoveryv1.SchemeGroupVersion, discoveryv1.AddToScheme},
	{eventsv1.SchemeGroupVersion, eventsv1.AddToScheme},
	{flowcontrolv1.SchemeGroupVersion, flowcontrolv1.AddToScheme},
	{networkingv1.SchemeGroupVersion, networkingv1.AddToScheme},
	{nodev1.SchemeGroupVersion, nodev1.AddToScheme},
	{policyv1.SchemeGroupVersion, policyv1.AddToScheme},
	{rbacv1.SchemeGroupVersion, rbacv1.AddToScheme},
	{resourcev1.SchemeGroupVersion, resourcev1.AddToScheme},
	{resourcev1beta2.SchemeGroupVersion, resourcev1beta2.AddToScheme},
	{schedulingv1.SchemeGroupVersion, schedulingv1.AddToScheme},
	{schedulingv1alpha3.SchemeGroupVersion, schedulingv1alpha3.AddToScheme},
	{schedulingv1beta1.SchemeGroupVersion, schedulingv1beta1.AddToScheme},
	{storagev1.SchemeGroupVersion, storagev1.AddToScheme},
	{storagemigrationv1.SchemeGroupVersion, storagemigrationv1.AddToScheme},
}

// Kinds of meta/v1: some belong to v1, the others may be sent with any version and stand under their own.
func metaKinds() map[schema.GroupVersion][]any {
	return map[schema.GroupVersion][]any{
		{Version: "v1"}: {metav1.Status{}, metav1.APIGroup{}, metav1.APIGroupList{}, metav1.APIResourceList{}, metav1.APIVersions{}},
		{Group: "meta.k8s.io", Version: "v1"}: {metav1.CreateOptions{}, metav1.DeleteOptions{}, metav1.GetOptions{}, metav1.ListOptions{},
			metav1.PartialObjectMetadata{}, metav1.PartialObjectMetadataList{}, metav1.PatchOptions{},
			metav1.UpdateOptions{}, metav1.WatchEvent{}},
		{Group: "meta.k8s.io", Version: "v1beta1"}: {metav1beta1.PartialObjectMetadata{}, metav1beta1.PartialObjectMetadataList{}},
	}
}

// Kinds that are custom resources elsewhere.
func customKinds() map[schema.GroupVersion][]any {
	return map[schema.GroupVersion][]any{
		coscheduling.GroupVersion: {coscheduling.PodGroup{}, coscheduling.PodGroupList{}},
	}
}

// All returns the kinds by version and name.
func All() ([]Kind, error) {
	var all []Kind
	for _, g := range groups {
		scheme := runtime.NewScheme()
		if err := g.add(scheme); err != nil {
			return nil, err
		}
		for name, typ := range scheme.KnownTypes(g.version) {
			// Every group registers the options of meta/v1; they are listed once.
			if typ.PkgPath() != reflect.TypeFor[metav1.Status]().PkgPath() {
				all = append(all, Kind{g.version, name, typ})
			}
		}
	}
	for _, more := range []map[schema.GroupVersion][]any{metaKinds(), customKinds()} {
		for version, values := range more {
			for _, value := range values {
				all = append(all, Kind{version, reflect.TypeOf(value).Name(), reflect.TypeOf(value)})
			}
		}
	}
	sort.Slice(all, func(i, j int) bool {
		return all[i].Version.String()+" "+all[i].Name < all[j].Version.String()+" "+all[j].Name
	})
	return all, nil
}
