// SPDX-License-Identifier: Apache-2.0
// ResourceClaim: devices that a pod asks for and those it got; DeviceClass: what requests name.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/objects/device.h"
#include "api/objects/meta.h"

namespace berth::api {

// Without an expression it is of a kind that is not known.
struct DeviceSelector {
  std::optional<std::string> cel_expression;

  bool operator==(const DeviceSelector&) const = default;
};

struct DeviceDerivedAttribute {
  std::string name;
  std::string expression;

  bool operator==(const DeviceDerivedAttribute&) const = default;
};

// A request for devices of one class: `exactly`, or one of the alternatives of `firstAvailable`.
struct ExactDeviceRequest {
  std::string name;  // Of the alternative, or of the request.
  std::string device_class_name;
  std::vector<DeviceSelector> selectors;
  std::string allocation_mode;  // ExactCount, All.
  int64_t count = 0;
  std::optional<bool> admin_access;
  std::vector<DeviceToleration> tolerations;
  std::optional<ResourceList> capacity_requests;  // Present when `capacity` is.
  std::vector<DeviceDerivedAttribute> derived_attributes;

  bool operator==(const ExactDeviceRequest&) const = default;
};

struct DeviceRequest {
  std::string name;
  std::optional<ExactDeviceRequest> exactly;
  std::vector<ExactDeviceRequest> first_available;

  bool operator==(const DeviceRequest&) const = default;
};

struct DeviceConstraint {
  std::vector<std::string> requests;  // Empty: all.
  std::optional<std::string> match_attribute;
  std::optional<std::string> distinct_attribute;

  bool operator==(const DeviceConstraint&) const = default;
};

// Parameters for drivers, which the scheduler hands on as they are.
struct DeviceConfiguration {
  std::string source;                 // FromClass or FromClaim, in an allocation.
  std::vector<std::string> requests;  // Empty: all.
  std::string json;                   // The members besides these two, as JSON.

  bool operator==(const DeviceConfiguration&) const = default;
};

struct DeviceRequestAllocationResult {
  std::string request;  // "request" or "request/alternative".
  std::string driver;
  std::string pool;
  std::string device;
  bool admin_access = false;
  std::vector<DeviceToleration> tolerations;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  std::optional<std::string> share_id;
  std::optional<ResourceList> consumed_capacity;
  std::vector<std::string> skip_node_operations;

  bool operator==(const DeviceRequestAllocationResult&) const = default;
};

struct AllocationResult {
  std::vector<DeviceRequestAllocationResult> results;
  std::vector<DeviceConfiguration> config;
  std::optional<NodeSelector> node_selector;  // Absent: usable on all nodes.
  std::optional<Time> allocation_timestamp;

  bool operator==(const AllocationResult&) const = default;
};

struct ResourceClaimConsumer {
  std::string api_group;
  std::string resource;
  std::string name;
  std::string uid;

  bool operator==(const ResourceClaimConsumer&) const = default;
};

struct AllocatedDeviceStatus {
  struct Condition {
    std::string type;
    std::string status;
    std::string reason;
    std::string message;
    bool operator==(const Condition&) const = default;
  };
  std::string driver;
  std::string pool;
  std::string device;
  std::vector<Condition> conditions;

  bool operator==(const AllocatedDeviceStatus&) const = default;
};

struct ResourceClaim {
  ObjectMeta meta;
  std::vector<DeviceRequest> requests;
  std::vector<DeviceConstraint> constraints;
  std::vector<DeviceConfiguration> config;
  std::optional<AllocationResult> allocation;  // status.allocation.
  std::vector<ResourceClaimConsumer> reserved_for;
  std::vector<AllocatedDeviceStatus> devices;
  std::string status;  // The whole status as JSON, to tell whether it changed; empty when nothing is in it.

  bool operator==(const ResourceClaim&) const = default;
};

struct DeviceClass {
  ObjectMeta meta;
  std::vector<DeviceSelector> selectors;
  std::vector<DeviceConfiguration> config;
  std::optional<std::string> extended_resource_name;

  bool operator==(const DeviceClass&) const = default;
};

}  // namespace berth::api
