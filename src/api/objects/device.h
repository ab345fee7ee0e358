// SPDX-License-Identifier: Apache-2.0
// Device: one device of a ResourceSlice, and what it is described by.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/parts/resource_list.h"
#include "api/parts/selector.h"

namespace berth::api {

// Values by name, sorted by name.
template <class T>
using NamedValues = std::vector<std::pair<std::string, T>>;

// The value called `name`, or nullptr.
template <class T>
const T* FindNamed(const NamedValues<T>& values, std::string_view name) {
  const auto it = std::ranges::lower_bound(values, name, {}, &std::pair<std::string, T>::first);
  return it != values.end() && it->first == name ? &it->second : nullptr;
}

struct DeviceAttribute {
  struct Version {
    std::string text;
    bool operator==(const Version&) const = default;
  };
  struct Versions {
    std::vector<std::string> texts;
    bool operator==(const Versions&) const = default;
  };
  // Monostate: of a type that is not known.
  std::variant<std::monostate, bool, int64_t, std::string, Version, std::vector<bool>, std::vector<int64_t>,
               std::vector<std::string>, Versions>
      value;

  bool operator==(const DeviceAttribute&) const = default;
};

// How much of a capacity one request may take.
struct CapacityRequestPolicy {
  struct Range {
    std::optional<Quantity> min;
    std::optional<Quantity> max;
    std::optional<Quantity> step;
    bool operator==(const Range&) const = default;
  };
  std::optional<Quantity> default_value;
  std::vector<Quantity> valid_values;
  std::optional<Range> valid_range;

  bool operator==(const CapacityRequestPolicy&) const = default;
};

struct DeviceCapacity {
  Quantity value;
  std::optional<CapacityRequestPolicy> request_policy;

  bool operator==(const DeviceCapacity&) const = default;
};

struct DeviceCounterConsumption {
  std::string counter_set;
  ResourceList counters;
  std::vector<std::string> compatibility_groups;

  bool operator==(const DeviceCounterConsumption&) const = default;
};

struct CounterSet {
  std::string name;
  ResourceList counters;

  bool operator==(const CounterSet&) const = default;
};

struct DeviceTaint {
  std::string key;
  std::string value;
  std::string effect;  // None, NoSchedule, NoExecute.

  bool operator==(const DeviceTaint&) const = default;
};

struct DeviceToleration {
  std::string key;
  std::string op;  // Empty (Equal), Equal, Exists.
  std::string value;
  std::string effect;  // Empty matches every effect.
  std::optional<int64_t> toleration_seconds;

  bool operator==(const DeviceToleration&) const = default;
};

// Whether `toleration` tolerates `taint`.
inline bool Tolerates(const DeviceToleration& toleration, const DeviceTaint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == "Exists") return true;
  return (toleration.op.empty() || toleration.op == "Equal") && toleration.value == taint.value;
}

// From which nodes a slice or a device can be reached; at most one is set in a valid object.
struct NodeSelection {
  std::optional<std::string> node_name;
  std::optional<NodeSelector> node_selector;
  bool all_nodes = false;

  bool operator==(const NodeSelection&) const = default;
};

// What a device takes of a resource that the node itself has, such as memory.
struct NodeAllocatableResource {
  struct Mapping {
    std::optional<std::string> capacity_key;
    std::optional<Quantity> capacity_multiplier;
    std::optional<Quantity> device_multiplier;
    bool operator==(const Mapping&) const = default;
  };
  struct Overhead {
    std::optional<Quantity> per_pod;
    std::optional<Quantity> per_container;
    bool operator==(const Overhead&) const = default;
  };
  std::optional<Mapping> mapping;
  std::optional<Overhead> overhead;

  bool operator==(const NodeAllocatableResource&) const = default;
};

struct Device {
  std::string name;
  NamedValues<DeviceAttribute> attributes;
  NamedValues<DeviceCapacity> capacity;
  std::vector<DeviceCounterConsumption> consumes_counters;
  std::vector<DeviceTaint> taints;
  NodeSelection nodes;  // Counts where the slice says perDeviceNodeSelection.
  bool binds_to_node = false;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  bool allow_multiple_allocations = false;
  NamedValues<NodeAllocatableResource> node_allocatable_resources;

  bool operator==(const Device&) const = default;
};

}  // namespace berth::api
