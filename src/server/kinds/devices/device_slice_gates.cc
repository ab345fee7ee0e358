// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/devices/device_slice_gates.h"

#include <initializer_list>
#include <string_view>

namespace berth::server {
namespace {

using framework::FeatureGates;
using framework::Gate;
using Names = std::initializer_list<std::string_view>;

void Drop(Json& object, Names names) {
  for (const std::string_view name : names) object.Erase(name);
}

template <typename Visit>
void ForEachDevice(Json& spec, const Visit& visit) {
  Json* devices = spec.Find("devices");
  if (devices == nullptr || !devices->is_list()) return;
  for (Json& device : devices->mutable_items()) visit(device);
}

void DropOfDevices(Json& spec, Names names) {
  ForEachDevice(spec, [&](Json& device) { Drop(device, names); });
}

// Of the objects that are the values of a map.
void DropOfValues(Json& spec, std::string_view map, Names names) {
  ForEachDevice(spec, [&](Json& device) {
    Json* values = device.Find(map);
    if (values == nullptr || !values->is_map()) return;
    for (Json::Member& each : values->mutable_members()) Drop(each.value, names);
  });
}

struct GatedFields {
  Gate gate;
  void (*drop)(Json& spec);
};
constexpr GatedFields kGated[] = {
    {Gate::kDRAPartitionableDevicesType, [](Json& spec) { Drop(spec, {"partitionTypeAttribute"}); }},
    {Gate::kDRAOptionalNodeOperations, [](Json& spec) { Drop(spec, {"skipNodeOperations"}); }},
    {Gate::kDRADeviceTaints, [](Json& spec) { DropOfDevices(spec, {"taints"}); }},
    {Gate::kDRAPartitionableDevices,
     [](Json& spec) {
       Drop(spec, {"sharedCounters", "perDeviceNodeSelection"});
       DropOfDevices(spec, {"consumesCounters", "nodeName", "nodeSelector", "allNodes"});
     }},
    {Gate::kDRAConsumableCapacity,
     [](Json& spec) {
       DropOfDevices(spec, {"allowMultipleAllocations"});
       DropOfValues(spec, "capacity", {"requestPolicy"});
     }},
    {Gate::kDRAListTypeAttributes,
     [](Json& spec) { DropOfValues(spec, "attributes", {"ints", "bools", "strings", "versions"}); }},
    {Gate::kDRANodeAllocatableResources, [](Json& spec) { DropOfDevices(spec, {"nodeAllocatableResources"}); }},
    {Gate::kDRADeviceCompatibilityGroups,
     [](Json& spec) {
       ForEachDevice(spec, [](Json& device) {
         Json* counters = device.Find("consumesCounters");
         if (counters == nullptr || !counters->is_list()) return;
         for (Json& each : counters->mutable_items()) Drop(each, {"compatibilityGroups"});
       });
     }},
};

void DropBindingConditions(Json& spec) {
  DropOfDevices(spec, {"bindingConditions", "bindingFailureConditions", "bindsToNode"});
}

void DropUnlessUsed(Json& spec, const Json& old, void (*drop)(Json& spec)) {
  Json without = old;
  if (without.is_map()) drop(without);
  if (without == old) drop(spec);
}

}  // namespace

void DropDisabledOfSlice(Json& spec, const Json& old, const FeatureGates& gates) {
  for (const GatedFields& each : kGated) {
    if (!gates.Enabled(each.gate)) DropUnlessUsed(spec, old, each.drop);
  }
  if (!gates.Enabled(Gate::kDRADeviceBindingConditions) || !gates.Enabled(Gate::kDRAResourceClaimDeviceStatus)) {
    DropUnlessUsed(spec, old, DropBindingConditions);
  }
}

}  // namespace berth::server
