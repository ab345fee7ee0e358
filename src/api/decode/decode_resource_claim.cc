// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode_kinds.h"
#include "api/decode/decode_parts.h"
#include "api/document/json_writer.h"

namespace berth::api {
namespace {

void ReadSelector(FieldReader& r, DeviceSelector& selector) {
  if (r.Has("cel")) r.Child("cel").Read("expression", selector.cel_expression.emplace());
}

void ReadDeviceToleration(FieldReader& r, DeviceToleration& toleration) {
  r.Read("key", toleration.key);
  r.Read("operator", toleration.op);
  r.Read("value", toleration.value);
  r.Read("effect", toleration.effect);
  r.Read("tolerationSeconds", toleration.toleration_seconds);
}

void ReadDerivedAttribute(FieldReader& r, DeviceDerivedAttribute& attribute) {
  r.Read("name", attribute.name);
  r.Read("expression", attribute.expression);
}

void ReadExactRequest(FieldReader& r, ExactDeviceRequest& request) {
  r.Read("name", request.name);
  r.Read("deviceClassName", request.device_class_name);
  r.Read("selectors", request.selectors, ReadSelector);
  r.Read("allocationMode", request.allocation_mode);
  r.Read("count", request.count);
  r.Read("adminAccess", request.admin_access);
  r.Read("tolerations", request.tolerations, ReadDeviceToleration);
  if (r.Has("capacity")) r.Child("capacity").Read("requests", request.capacity_requests.emplace());
  r.Read("derivedAttributes", request.derived_attributes, ReadDerivedAttribute);
}

void ReadRequest(FieldReader& r, DeviceRequest& request) {
  r.Read("name", request.name);
  r.Read("exactly", request.exactly, ReadExactRequest);
  if (request.exactly) request.exactly->name = request.name;
  r.Read("firstAvailable", request.first_available, ReadExactRequest);
}

void ReadConstraint(FieldReader& r, DeviceConstraint& constraint) {
  r.Read("requests", constraint.requests);
  r.Read("matchAttribute", constraint.match_attribute);
  r.Read("distinctAttribute", constraint.distinct_attribute);
}

void ReadConfiguration(FieldReader& r, DeviceConfiguration& config) {
  r.Read("source", config.source);
  r.Read("requests", config.requests);
  JsonWriter rest;
  rest.BeginObject();
  for (size_t i = 0; i < r.value().size(); ++i) {
    const std::string_view name = r.value().key(i);
    if (name != "source" && name != "requests") rest.Key(name).Copy(r.value()[i]);
  }
  config.json = rest.EndObject().Take();
}

void ReadAllocated(FieldReader& r, DeviceRequestAllocationResult& result) {
  r.Read("request", result.request);
  r.Read("driver", result.driver);
  r.Read("pool", result.pool);
  r.Read("device", result.device);
  r.Read("adminAccess", result.admin_access);
  r.Read("tolerations", result.tolerations, ReadDeviceToleration);
  r.Read("bindingConditions", result.binding_conditions);
  r.Read("bindingFailureConditions", result.binding_failure_conditions);
  r.Read("shareID", result.share_id);
  r.Read("consumedCapacity", result.consumed_capacity);
  r.Read("skipNodeOperations", result.skip_node_operations);
}

void ReadAllocation(FieldReader& r, AllocationResult& allocation) {
  FieldReader devices = r.Child("devices");
  devices.Read("results", allocation.results, ReadAllocated);
  devices.Read("config", allocation.config, ReadConfiguration);
  r.Read("nodeSelector", allocation.node_selector, ReadNodeSelector);
  r.Read("allocationTimestamp", allocation.allocation_timestamp);
}

void ReadConsumer(FieldReader& r, ResourceClaimConsumer& consumer) {
  r.Read("apiGroup", consumer.api_group);
  r.Read("resource", consumer.resource);
  r.Read("name", consumer.name);
  r.Read("uid", consumer.uid);
}

void ReadCondition(FieldReader& r, AllocatedDeviceStatus::Condition& condition) {
  r.Read("type", condition.type);
  r.Read("status", condition.status);
  r.Read("reason", condition.reason);
  r.Read("message", condition.message);
}

void ReadDeviceStatus(FieldReader& r, AllocatedDeviceStatus& status) {
  r.Read("driver", status.driver);
  r.Read("pool", status.pool);
  r.Read("device", status.device);
  r.Read("conditions", status.conditions, ReadCondition);
}

}  // namespace

void ReadResourceClaim(FieldReader& r, ResourceClaim& claim) {
  FieldReader spec = r.Child("spec");
  FieldReader devices = spec.Child("devices");
  devices.Read("requests", claim.requests, ReadRequest);
  devices.Read("constraints", claim.constraints, ReadConstraint);
  devices.Read("config", claim.config, ReadConfiguration);
  FieldReader status = r.Child("status");
  status.Read("allocation", claim.allocation, ReadAllocation);
  status.Read("reservedFor", claim.reserved_for, ReadConsumer);
  status.Read("devices", claim.devices, ReadDeviceStatus);
  if (status.value().size() > 0) claim.status = status.value().ToJson();
}

void ReadDeviceClass(FieldReader& r, DeviceClass& device_class) {
  FieldReader spec = r.Child("spec");
  spec.Read("selectors", device_class.selectors, ReadSelector);
  spec.Read("config", device_class.config, ReadConfiguration);
  spec.Read("extendedResourceName", device_class.extended_resource_name);
}

}  // namespace berth::api
