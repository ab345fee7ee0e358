// SPDX-License-Identifier: Apache-2.0

// Package coscheduling has the PodGroup of scheduling.x-k8s.io, a custom resource of the scheduler plugins of
// kubernetes-sigs. API servers send custom resources as JSON only, so the numbers of its fields are Berth's own.
package coscheduling

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the version that Berth reads.
var GroupVersion = schema.GroupVersion{Group: "scheduling.x-k8s.io", Version: "v1alpha1"}

// PodGroup is a number of pods that start together.
// +genclient
type PodGroup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	// +optional
	Spec *PodGroupSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	// +optional
	Status *PodGroupStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// OpenAPIModelName is the name of the message.
func (PodGroup) OpenAPIModelName() string { return "io.x-k8s.scheduling.v1alpha1.PodGroup" }

// PodGroupSpec says when the pods may start.
type PodGroupSpec struct {
	MinMember              *int32              `json:"minMember,omitempty" protobuf:"varint,1,opt,name=minMember"`
	MinResources           corev1.ResourceList `json:"minResources,omitempty" protobuf:"bytes,2,rep,name=minResources"`
	ScheduleTimeoutSeconds *int32              `json:"scheduleTimeoutSeconds,omitempty" protobuf:"varint,3,opt,name=scheduleTimeoutSeconds"`
}

// OpenAPIModelName is the name of the message.
func (PodGroupSpec) OpenAPIModelName() string { return "io.x-k8s.scheduling.v1alpha1.PodGroupSpec" }

// PodGroupStatus is kept by a controller.
type PodGroupStatus struct {
	Phase             string       `json:"phase,omitempty" protobuf:"bytes,1,opt,name=phase"`
	OccupiedBy        string       `json:"occupiedBy,omitempty" protobuf:"bytes,2,opt,name=occupiedBy"`
	Running           int32        `json:"running,omitempty" protobuf:"varint,3,opt,name=running"`
	Succeeded         int32        `json:"succeeded,omitempty" protobuf:"varint,4,opt,name=succeeded"`
	Failed            int32        `json:"failed,omitempty" protobuf:"varint,5,opt,name=failed"`
	ScheduleStartTime *metav1.Time `json:"scheduleStartTime,omitempty" protobuf:"bytes,6,opt,name=scheduleStartTime"`
}

// OpenAPIModelName is the name of the message.
func (PodGroupStatus) OpenAPIModelName() string { return "io.x-k8s.scheduling.v1alpha1.PodGroupStatus" }

// PodGroupList is a list of groups.
type PodGroupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []PodGroup `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// OpenAPIModelName is the name of the message.
func (PodGroupList) OpenAPIModelName() string { return "io.x-k8s.scheduling.v1alpha1.PodGroupList" }
