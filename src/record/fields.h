// SPDX-License-Identifier: Apache-2.0
// The fields of everything that an input log holds, one line per struct.
//
// The names are bound to the members in order, so a line that lacks a member does not compile. A change of a line
// changes the bytes: it needs a new kVersion in input_log.cc.

#pragma once

#include <type_traits>

#include "api/objects/object.h"
#include "record/archive.h"
#include "scheduler/input.h"

namespace berth::record {

// A Decoder fills the object, an Encoder only looks at it.
template <class Archive, class T>
using Subject = std::conditional_t<Archive::kReads, T, const T>;

#define BERTH_FIELDS(type, ...)                                    \
  template <class Archive>                                         \
  void Fields(Archive& archive, Subject<Archive, type>& subject) { \
    auto& [__VA_ARGS__] = subject;                                 \
    archive(__VA_ARGS__);                                          \
  }

// Metadata and selectors.
BERTH_FIELDS(api::OwnerReference, api_version, kind, name, uid, controller)
BERTH_FIELDS(api::ObjectMeta, ns, name, uid, resource_version, generation, labels, annotations, creation_timestamp,
             deletion_timestamp, owner_references)
BERTH_FIELDS(api::SelectorRequirement, key, op, values)
BERTH_FIELDS(api::LabelSelector, match_labels, match_expressions)
BERTH_FIELDS(api::NodeSelectorTerm, match_expressions, match_fields)
BERTH_FIELDS(api::NodeSelector, terms)
BERTH_FIELDS(api::Taint, key, value, effect)
BERTH_FIELDS(api::Toleration, key, op, value, effect)

// Nodes.
BERTH_FIELDS(api::ContainerImage, names, size_bytes)
BERTH_FIELDS(api::NodeCondition, type, status)
BERTH_FIELDS(api::Node, meta, unschedulable, taints, disable_resize_preemption, has_preemption_policy, allocatable,
             conditions, images, declared_features, source)

// Pods.
template <>
inline constexpr api::Volume::Source kLast<api::Volume::Source> = api::Volume::Source::kImage;
BERTH_FIELDS(api::HostPort, ip, protocol, port)
BERTH_FIELDS(api::Container, name, image, requests, limits, host_ports, restart_always, restarts_all_containers,
             has_bind_mount_options, claims)
BERTH_FIELDS(api::Volume, name, source, id, pool, monitors, disk_kind, read_only)
BERTH_FIELDS(api::PodAffinityTerm, label_selector, namespaces, namespace_selector, topology_key)
BERTH_FIELDS(api::WeightedPodAffinityTerm, weight, term)
BERTH_FIELDS(api::PreferredSchedulingTerm, weight, preference)
BERTH_FIELDS(api::NodeAffinity, required, preferred)
BERTH_FIELDS(api::PodAffinity, required, preferred)
BERTH_FIELDS(api::Affinity, node_affinity, pod_affinity, pod_anti_affinity)
BERTH_FIELDS(api::TopologySpreadConstraint, max_skew, topology_key, when_unsatisfiable, label_selector, min_domains,
             node_affinity_policy, node_taints_policy, match_label_keys)
BERTH_FIELDS(api::PodResourceClaim, name, claim_name, template_name)
BERTH_FIELDS(api::PodSpec, init_containers, containers, ephemeral_containers, volumes, node_selector, affinity,
             tolerations, topology_spread_constraints, priority, priority_class_name, preemption_policy, scheduler_name,
             scheduling_gates, overhead, pod_requests, pod_limits, host_network, host_users, resource_claims,
             scheduling_group)
BERTH_FIELDS(api::PodCondition, type, status, reason, message, observed_generation, last_transition_time)
BERTH_FIELDS(api::ContainerStatus, name, allocated_resources, resource_requests)
BERTH_FIELDS(api::PodResourceClaimStatus, name, claim_name)
BERTH_FIELDS(api::ExtendedResourceClaimStatus::Mapping, container_name, resource_name, request_name)
BERTH_FIELDS(api::ExtendedResourceClaimStatus, claim_name, mappings)
BERTH_FIELDS(api::NodeAllocatableClaimStatus::Overhead, name, per_pod, per_container)
BERTH_FIELDS(api::NodeAllocatableClaimStatus, claim_name, containers, mapping, overhead)
BERTH_FIELDS(api::PodStatus, phase, nominated_node_name, start_time, conditions, container_statuses,
             allocated_resources, has_resources, resource_requests, resource_claim_statuses,
             extended_resource_claim_status, node_allocatable_claims)
BERTH_FIELDS(api::Pod, meta, node_name, spec, status, source)

// Volumes.
BERTH_FIELDS(api::ObjectReference, kind, api_version, ns, name, uid, resource_version)
BERTH_FIELDS(api::PersistentVolume, meta, capacity, access_modes, claim_ref, storage_class_name, volume_mode,
             volume_attributes_class_name, node_affinity, phase, source, csi_driver, csi_handle)
BERTH_FIELDS(api::PersistentVolumeClaim, meta, access_modes, selector, requests, volume_name, storage_class_name,
             volume_mode, volume_attributes_class_name, phase)
BERTH_FIELDS(api::StorageClass::TopologyTerm::Requirement, key, values)
BERTH_FIELDS(api::StorageClass::TopologyTerm, requirements)
BERTH_FIELDS(api::StorageClass, meta, provisioner, volume_binding_mode, allowed_topologies)
BERTH_FIELDS(api::CsiNode::Driver, name, node_id, topology_keys, allocatable_count)
BERTH_FIELDS(api::CsiNode, meta, drivers)
BERTH_FIELDS(api::CsiDriver, meta, storage_capacity, prevent_pod_scheduling_if_missing)
BERTH_FIELDS(api::CsiStorageCapacity, meta, node_topology, storage_class_name, capacity, maximum_volume_size)
BERTH_FIELDS(api::VolumeAttachment, meta, attacher, node_name, persistent_volume_name, inline_volume, attached)

// Devices.
template <class Archive>
void Fields(Archive&, Subject<Archive, std::monostate>&) {}
BERTH_FIELDS(api::DeviceAttribute::Version, text)
BERTH_FIELDS(api::DeviceAttribute::Versions, texts)
BERTH_FIELDS(api::DeviceAttribute, value)
BERTH_FIELDS(api::CapacityRequestPolicy::Range, min, max, step)
BERTH_FIELDS(api::CapacityRequestPolicy, default_value, valid_values, valid_range)
BERTH_FIELDS(api::DeviceCapacity, value, request_policy)
BERTH_FIELDS(api::DeviceCounterConsumption, counter_set, counters, compatibility_groups)
BERTH_FIELDS(api::CounterSet, name, counters)
BERTH_FIELDS(api::DeviceTaint, key, value, effect)
BERTH_FIELDS(api::DeviceToleration, key, op, value, effect, toleration_seconds)
BERTH_FIELDS(api::NodeSelection, node_name, node_selector, all_nodes)
BERTH_FIELDS(api::NodeAllocatableResource::Mapping, capacity_key, capacity_multiplier, device_multiplier)
BERTH_FIELDS(api::NodeAllocatableResource::Overhead, per_pod, per_container)
BERTH_FIELDS(api::NodeAllocatableResource, mapping, overhead)
BERTH_FIELDS(api::Device, name, attributes, capacity, consumes_counters, taints, nodes, binds_to_node,
             binding_conditions, binding_failure_conditions, allow_multiple_allocations, node_allocatable_resources)
BERTH_FIELDS(api::ResourceSlice::Pool, name, generation, resource_slice_count)
BERTH_FIELDS(api::ResourceSlice, meta, driver, pool, nodes, per_device_node_selection, devices, shared_counters,
             skip_node_operations)
BERTH_FIELDS(api::DeviceTaintRule::Selector, driver, pool, device)
BERTH_FIELDS(api::DeviceTaintRule, meta, device_selector, taint)

// Claims.
BERTH_FIELDS(api::DeviceSelector, cel_expression)
BERTH_FIELDS(api::DeviceDerivedAttribute, name, expression)
BERTH_FIELDS(api::ExactDeviceRequest, name, device_class_name, selectors, allocation_mode, count, admin_access,
             tolerations, capacity_requests, derived_attributes)
BERTH_FIELDS(api::DeviceRequest, name, exactly, first_available)
BERTH_FIELDS(api::DeviceConstraint, requests, match_attribute, distinct_attribute)
BERTH_FIELDS(api::DeviceConfiguration, source, requests, json)
BERTH_FIELDS(api::DeviceRequestAllocationResult, request, driver, pool, device, admin_access, tolerations,
             binding_conditions, binding_failure_conditions, share_id, consumed_capacity, skip_node_operations)
BERTH_FIELDS(api::AllocationResult, results, config, node_selector, allocation_timestamp)
BERTH_FIELDS(api::ResourceClaimConsumer, api_group, resource, name, uid)
BERTH_FIELDS(api::AllocatedDeviceStatus::Condition, type, status, reason, message)
BERTH_FIELDS(api::AllocatedDeviceStatus, driver, pool, device, conditions)
BERTH_FIELDS(api::ResourceClaim, meta, requests, constraints, config, allocation, reserved_for, devices, status)
BERTH_FIELDS(api::DeviceClass, meta, selectors, config, extended_resource_name)

// Workloads.
BERTH_FIELDS(api::Namespace, meta)
BERTH_FIELDS(api::PriorityClass, meta, value, global_default, preemption_policy)
BERTH_FIELDS(api::PodDisruptionBudget, meta, selector, disruptions_allowed, disrupted_pods)
BERTH_FIELDS(api::Service, meta, selector)
BERTH_FIELDS(api::ReplicationController, meta, selector)
BERTH_FIELDS(api::ReplicaSet, meta, selector)
BERTH_FIELDS(api::StatefulSet, meta, selector)
BERTH_FIELDS(api::GroupSpec, min_count, priority, is_disrupted_as_one, topology_key, preemption_policy, parent)
BERTH_FIELDS(api::PodGroup, meta, spec, claims, conditions, claim_statuses)
BERTH_FIELDS(api::CompositePodGroup, meta, spec)
BERTH_FIELDS(api::CoscheduledGroup, meta, min_member, min_resources, schedule_timeout_seconds)

// Inputs.
template <>
inline constexpr scheduler::EffectAnswer::Code kLast<scheduler::EffectAnswer::Code> =
    scheduler::EffectAnswer::Code::kUnknown;
BERTH_FIELDS(scheduler::PutObject, object)
BERTH_FIELDS(scheduler::RemoveObject, kind, ns, name, final_state_unknown)
BERTH_FIELDS(scheduler::EffectAnswer, id, code, message)
BERTH_FIELDS(scheduler::ScheduleNext, pod)
BERTH_FIELDS(scheduler::Reconfigure, configuration)
BERTH_FIELDS(scheduler::Input, now, what)
template <class Archive>
void Fields(Archive&, Subject<Archive, scheduler::PassTime>&) {}

}  // namespace berth::record
