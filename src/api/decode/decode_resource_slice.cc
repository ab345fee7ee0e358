// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode_kinds.h"
#include "api/decode/decode_parts.h"

namespace berth::api {
namespace {

// The first field that is set counts; a valid attribute has no other.
void ReadAttribute(FieldReader& r, DeviceAttribute& attribute) {
  if (r.Has("string")) return r.Read("string", attribute.value.emplace<std::string>());
  if (r.Has("int")) return r.Read("int", attribute.value.emplace<int64_t>());
  if (r.Has("bool")) return r.Read("bool", attribute.value.emplace<bool>());
  if (r.Has("version")) return r.Read("version", attribute.value.emplace<DeviceAttribute::Version>().text);
  if (r.Has("strings")) return r.Read("strings", attribute.value.emplace<std::vector<std::string>>());
  if (r.Has("ints")) return r.Read("ints", attribute.value.emplace<std::vector<int64_t>>());
  if (r.Has("bools")) return r.Read("bools", attribute.value.emplace<std::vector<bool>>());
  if (r.Has("versions")) r.Read("versions", attribute.value.emplace<DeviceAttribute::Versions>().texts);
}

void ReadRange(FieldReader& r, CapacityRequestPolicy::Range& range) {
  r.Read("min", range.min);
  r.Read("max", range.max);
  r.Read("step", range.step);
}

void ReadPolicy(FieldReader& r, CapacityRequestPolicy& policy) {
  r.Read("default", policy.default_value);
  r.Read("validValues", policy.valid_values);
  r.Read("validRange", policy.valid_range, ReadRange);
}

void ReadCapacity(FieldReader& r, DeviceCapacity& capacity) {
  r.Read("value", capacity.value);
  r.Read("requestPolicy", capacity.request_policy, ReadPolicy);
}

void ReadCounter(FieldReader& r, Quantity& counter) { r.Read("value", counter); }

void ReadCounters(FieldReader& r, ResourceList& counters) {
  NamedValues<Quantity> values;
  r.Read("counters", values, ReadCounter);
  for (auto& [name, value] : values) counters.Set(std::move(name), std::move(value));
}

void ReadConsumption(FieldReader& r, DeviceCounterConsumption& consumption) {
  r.Read("counterSet", consumption.counter_set);
  ReadCounters(r, consumption.counters);
  r.Read("compatibilityGroups", consumption.compatibility_groups);
}

void ReadCounterSet(FieldReader& r, CounterSet& counter_set) {
  r.Read("name", counter_set.name);
  ReadCounters(r, counter_set.counters);
}

void ReadDeviceTaint(FieldReader& r, DeviceTaint& taint) {
  r.Read("key", taint.key);
  r.Read("value", taint.value);
  r.Read("effect", taint.effect);
}

void ReadNodeSelection(FieldReader& r, NodeSelection& nodes) {
  r.Read("nodeName", nodes.node_name);
  r.Read("nodeSelector", nodes.node_selector, ReadNodeSelector);
  r.Read("allNodes", nodes.all_nodes);
}

void ReadMapping(FieldReader& r, NodeAllocatableResource::Mapping& mapping) {
  r.Read("capacityKey", mapping.capacity_key);
  r.Read("capacityMultiplier", mapping.capacity_multiplier);
  r.Read("deviceMultiplier", mapping.device_multiplier);
}

void ReadOverhead(FieldReader& r, NodeAllocatableResource::Overhead& overhead) {
  r.Read("perPod", overhead.per_pod);
  r.Read("perContainer", overhead.per_container);
}

void ReadNodeAllocatable(FieldReader& r, NodeAllocatableResource& resource) {
  r.Read("mapping", resource.mapping, ReadMapping);
  r.Read("overhead", resource.overhead, ReadOverhead);
}

void ReadDevice(FieldReader& r, Device& device) {
  r.Read("name", device.name);
  r.Read("attributes", device.attributes, ReadAttribute);
  r.Read("capacity", device.capacity, ReadCapacity);
  r.Read("consumesCounters", device.consumes_counters, ReadConsumption);
  r.Read("taints", device.taints, ReadDeviceTaint);
  ReadNodeSelection(r, device.nodes);
  r.Read("bindsToNode", device.binds_to_node);
  r.Read("bindingConditions", device.binding_conditions);
  r.Read("bindingFailureConditions", device.binding_failure_conditions);
  r.Read("allowMultipleAllocations", device.allow_multiple_allocations);
  r.Read("nodeAllocatableResources", device.node_allocatable_resources, ReadNodeAllocatable);
}

void ReadPool(FieldReader& r, ResourceSlice::Pool& pool) {
  r.Read("name", pool.name);
  r.Read("generation", pool.generation);
  r.Read("resourceSliceCount", pool.resource_slice_count);
}

void ReadSliceSpec(FieldReader& r, ResourceSlice& slice) {
  r.Read("driver", slice.driver);
  r.Read("pool", slice.pool, ReadPool);
  ReadNodeSelection(r, slice.nodes);
  r.Read("perDeviceNodeSelection", slice.per_device_node_selection);
  r.Read("devices", slice.devices, ReadDevice);
  r.Read("sharedCounters", slice.shared_counters, ReadCounterSet);
  r.Read("skipNodeOperations", slice.skip_node_operations);
}

void ReadRuleSelector(FieldReader& r, DeviceTaintRule::Selector& selector) {
  r.Read("driver", selector.driver);
  r.Read("pool", selector.pool);
  r.Read("device", selector.device);
}

}  // namespace

void ReadResourceSlice(FieldReader& r, ResourceSlice& slice) { r.Read("spec", slice, ReadSliceSpec); }

void ReadDeviceTaintRule(FieldReader& r, DeviceTaintRule& rule) {
  FieldReader spec = r.Child("spec");
  spec.Read("deviceSelector", rule.device_selector, ReadRuleSelector);
  spec.Read("taint", rule.taint, ReadDeviceTaint);
}

}  // namespace berth::api
