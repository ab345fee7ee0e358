// SPDX-License-Identifier: Apache-2.0
// The kinds of objects that the scheduler reads, one row for each.
//
// From a row follow the alternative of api::Object, the decoder by kind, the store in cluster::Objects, the resource of
// events (framework/events.h) and what the live scheduler watches. Besides, a kind has its struct, a reader in
// decode_*.cc, and a line in record/fields.h. Input logs number the kinds in the order of the rows, so a change of the
// order needs a new version of the log.

#pragma once

#include <string_view>

namespace berth::api {

// What manifests call a kind. Where two groups have kinds of one name, the row of the second one says which it is, as
// in "PodGroup.scheduling.x-k8s.io".
constexpr std::string_view ManifestKind(std::string_view kind) { return kind.substr(0, kind.find('.')); }

struct KindRow {
  std::string_view kind;        // See ManifestKind.
  std::string_view group = "";  // Of the apiVersion; empty: the core group.
  std::string_view version = "v1";
  std::string_view resource;  // What paths call it.
  bool is_namespaced = true;
  bool has_events = false;               // Plugins can ask to hear of changes.
  bool is_booked = false;                // A decision could use it twice, so a new leader lists it afresh.
  bool is_watched = true;                // By the live scheduler.
  std::string_view field_selector = "";  // Of what is watched.
};

}  // namespace berth::api

// KIND(struct, store in cluster::Objects, row): the kinds that are kept in stores.
#define BERTH_STORED_KINDS(KIND)                                                                                       \
  KIND(Namespace, namespaces, .kind = "Namespace", .resource = "namespaces", .is_namespaced = false)                   \
  KIND(Service, services, .kind = "Service", .resource = "services")                                                   \
  KIND(ReplicationController, replication_controllers, .kind = "ReplicationController",                                \
       .resource = "replicationcontrollers")                                                                           \
  KIND(ReplicaSet, replica_sets, .kind = "ReplicaSet", .group = "apps", .resource = "replicasets")                     \
  KIND(StatefulSet, stateful_sets, .kind = "StatefulSet", .group = "apps", .resource = "statefulsets")                 \
  KIND(PodDisruptionBudget, pod_disruption_budgets, .kind = "PodDisruptionBudget", .group = "policy",                  \
       .resource = "poddisruptionbudgets")                                                                             \
  KIND(PriorityClass, priority_classes, .kind = "PriorityClass", .group = "scheduling.k8s.io",                         \
       .resource = "priorityclasses", .is_namespaced = false, .is_watched = false)                                     \
  KIND(PersistentVolume, persistent_volumes, .kind = "PersistentVolume", .resource = "persistentvolumes",              \
       .is_namespaced = false, .has_events = true, .is_booked = true)                                                  \
  KIND(PersistentVolumeClaim, persistent_volume_claims, .kind = "PersistentVolumeClaim",                               \
       .resource = "persistentvolumeclaims", .has_events = true, .is_booked = true)                                    \
  KIND(StorageClass, storage_classes, .kind = "StorageClass", .group = "storage.k8s.io", .resource = "storageclasses", \
       .is_namespaced = false, .has_events = true)                                                                     \
  KIND(CsiNode, csi_nodes, .kind = "CSINode", .group = "storage.k8s.io", .resource = "csinodes",                       \
       .is_namespaced = false, .has_events = true)                                                                     \
  KIND(CsiDriver, csi_drivers, .kind = "CSIDriver", .group = "storage.k8s.io", .resource = "csidrivers",               \
       .is_namespaced = false, .has_events = true)                                                                     \
  KIND(CsiStorageCapacity, csi_storage_capacities, .kind = "CSIStorageCapacity", .group = "storage.k8s.io",            \
       .resource = "csistoragecapacities", .has_events = true)                                                         \
  KIND(VolumeAttachment, volume_attachments, .kind = "VolumeAttachment", .group = "storage.k8s.io",                    \
       .resource = "volumeattachments", .is_namespaced = false, .has_events = true)                                    \
  KIND(ResourceClaim, resource_claims, .kind = "ResourceClaim", .group = "resource.k8s.io",                            \
       .resource = "resourceclaims", .has_events = true, .is_booked = true)                                            \
  KIND(ResourceSlice, resource_slices, .kind = "ResourceSlice", .group = "resource.k8s.io",                            \
       .resource = "resourceslices", .is_namespaced = false, .has_events = true)                                       \
  KIND(DeviceClass, device_classes, .kind = "DeviceClass", .group = "resource.k8s.io", .resource = "deviceclasses",    \
       .is_namespaced = false, .has_events = true)                                                                     \
  KIND(DeviceTaintRule, device_taint_rules, .kind = "DeviceTaintRule", .group = "resource.k8s.io",                     \
       .resource = "devicetaintrules", .is_namespaced = false)                                                         \
  KIND(PodGroup, pod_groups, .kind = "PodGroup", .group = "scheduling.k8s.io", .version = "v1beta1",                   \
       .resource = "podgroups", .has_events = true, .is_watched = false)                                               \
  KIND(CompositePodGroup, composite_pod_groups, .kind = "CompositePodGroup", .group = "scheduling.k8s.io",             \
       .version = "v1alpha3", .resource = "compositepodgroups", .has_events = true, .is_watched = false)               \
  KIND(CoscheduledGroup, coscheduled_groups, .kind = "PodGroup.scheduling.x-k8s.io", .group = "scheduling.x-k8s.io",   \
       .version = "v1alpha1", .resource = "podgroups", .has_events = true, .is_watched = false)

// All kinds. Pods and nodes are kept in tables of their own.
#define BERTH_KINDS(KIND)                                                                           \
  KIND(Pod, pods, .kind = "Pod", .resource = "pods", .is_booked = true,                             \
       .field_selector = "status.phase!=Succeeded,status.phase!=Failed")                            \
  KIND(Node, nodes, .kind = "Node", .resource = "nodes", .is_namespaced = false, .is_booked = true) \
  BERTH_STORED_KINDS(KIND)
