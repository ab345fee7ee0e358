// SPDX-License-Identifier: Apache-2.0
// Builders of ResourceSlices, ResourceClaims and DeviceClasses. For tests only.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/objects/resource_claim.h"
#include "api/objects/resource_slice.h"

namespace berth::cluster {

inline constexpr const char* kTestDriver = "gpu.example.com";

inline api::Device TestDevice(std::string name) {
  api::Device device;
  device.name = std::move(name);
  return device;
}

// A slice of the pool `pool` with devices for one node; "" for all nodes.
inline api::ResourceSlice TestSlice(std::string name, std::string pool, const std::string& node,
                                    std::vector<api::Device> devices, int64_t generation = 1, int64_t count = 1) {
  api::ResourceSlice slice;
  slice.meta.name = std::move(name);
  slice.meta.resource_version = "1";
  slice.driver = kTestDriver;
  slice.pool = {.name = std::move(pool), .generation = generation, .resource_slice_count = count};
  if (node.empty()) {
    slice.nodes.all_nodes = true;
  } else {
    slice.nodes.node_name = node;
  }
  slice.devices = std::move(devices);
  return slice;
}

// `count` devices called dev-0, dev-1, ...
inline std::vector<api::Device> TestDevices(size_t count) {
  std::vector<api::Device> devices;
  for (size_t i = 0; i < count; ++i) devices.push_back(TestDevice("dev-" + std::to_string(i)));
  return devices;
}

inline api::DeviceClass TestClass(std::string name = "gpu") {
  api::DeviceClass device_class;
  device_class.meta.name = std::move(name);
  return device_class;
}

inline api::DeviceRequest TestRequest(const std::string& name, int64_t count = 1, std::string class_name = "gpu") {
  api::DeviceRequest request;
  request.name = name;
  request.exactly.emplace();
  request.exactly->name = name;
  request.exactly->device_class_name = std::move(class_name);
  request.exactly->allocation_mode = "ExactCount";
  request.exactly->count = count;
  return request;
}

inline api::ResourceClaim TestClaim(const std::string& name, std::vector<api::DeviceRequest> requests) {
  api::ResourceClaim claim;
  claim.meta.ns = "default";
  claim.meta.name = name;
  claim.meta.uid = "uid-" + name;
  claim.meta.resource_version = "1";
  claim.requests = std::move(requests);
  return claim;
}

inline api::AllocationResult TestAllocation(const std::string& pool, const std::vector<std::string>& devices) {
  api::AllocationResult allocation;
  for (const std::string& device : devices) {
    api::DeviceRequestAllocationResult& result = allocation.results.emplace_back();
    result.request = "req";
    result.driver = kTestDriver;
    result.pool = pool;
    result.device = device;
  }
  return allocation;
}

}  // namespace berth::cluster
