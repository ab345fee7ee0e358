// SPDX-License-Identifier: Apache-2.0
// ResourceSlice: some of the devices of a pool; DeviceTaintRule: a taint for devices wherever they are listed.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/objects/device.h"
#include "api/objects/meta.h"

namespace berth::api {

struct ResourceSlice {
  struct Pool {
    std::string name;
    int64_t generation = 0;
    int64_t resource_slice_count = 0;
    bool operator==(const Pool&) const = default;
  };
  ObjectMeta meta;
  std::string driver;
  Pool pool;
  NodeSelection nodes;
  std::optional<bool> per_device_node_selection;  // nil and false differ.
  std::vector<Device> devices;
  std::vector<CounterSet> shared_counters;
  std::vector<std::string> skip_node_operations;

  bool operator==(const ResourceSlice&) const = default;
};

struct DeviceTaintRule {
  struct Selector {
    std::optional<std::string> driver;
    std::optional<std::string> pool;
    std::optional<std::string> device;
    bool operator==(const Selector&) const = default;
  };
  ObjectMeta meta;
  std::optional<Selector> device_selector;  // Absent: no device.
  DeviceTaint taint;

  bool operator==(const DeviceTaintRule&) const = default;
};

}  // namespace berth::api
