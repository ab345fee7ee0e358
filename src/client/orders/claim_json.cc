// SPDX-License-Identifier: Apache-2.0
#include "client/orders/claim_json.h"

#include "api/document/json_writer.h"
#include "api/document/value.h"

namespace berth::client {
namespace {

using api::JsonWriter;

void WriteStrings(JsonWriter& out, std::string_view name, const std::vector<std::string>& values) {
  if (values.empty()) return;
  out.Key(name).BeginArray();
  for (const std::string& value : values) out.String(value);
  out.EndArray();
}

void WriteTolerations(JsonWriter& out, const std::vector<api::DeviceToleration>& tolerations) {
  if (tolerations.empty()) return;
  out.Key("tolerations").BeginArray();
  for (const api::DeviceToleration& toleration : tolerations) {
    out.BeginObject().Text("key", toleration.key).Text("operator", toleration.op).Text("value", toleration.value);
    out.Text("effect", toleration.effect);
    if (toleration.toleration_seconds) out.Key("tolerationSeconds").Int(*toleration.toleration_seconds);
    out.EndObject();
  }
  out.EndArray();
}

void WriteResult(JsonWriter& out, const api::DeviceRequestAllocationResult& result) {
  out.BeginObject().Key("request").String(result.request).Key("driver").String(result.driver);
  out.Key("pool").String(result.pool).Key("device").String(result.device);
  if (result.admin_access) out.Key("adminAccess").Bool(true);
  WriteTolerations(out, result.tolerations);
  WriteStrings(out, "bindingConditions", result.binding_conditions);
  WriteStrings(out, "bindingFailureConditions", result.binding_failure_conditions);
  if (result.share_id) out.Key("shareID").String(*result.share_id);
  if (result.consumed_capacity && !result.consumed_capacity->empty()) {
    out.Key("consumedCapacity").BeginObject();
    for (const auto& [name, amount] : *result.consumed_capacity) out.Key(name).String(amount.String());
    out.EndObject();
  }
  WriteStrings(out, "skipNodeOperations", result.skip_node_operations);
  out.EndObject();
}

void WriteConfiguration(JsonWriter& out, const api::DeviceConfiguration& config) {
  out.BeginObject().Text("source", config.source);
  WriteStrings(out, "requests", config.requests);
  if (const Result<api::Document> rest = api::ParseJson(config.json)) {
    for (size_t i = 0; i < rest->root().size(); ++i) out.Key(rest->root().key(i)).Copy(rest->root()[i]);
  }
  out.EndObject();
}

void WriteRequirements(JsonWriter& out, std::string_view name,
                       const std::vector<api::SelectorRequirement>& requirements) {
  if (requirements.empty()) return;
  out.Key(name).BeginArray();
  for (const api::SelectorRequirement& requirement : requirements) {
    out.BeginObject().Key("key").String(requirement.key).Key("operator").String(requirement.op);
    WriteStrings(out, "values", requirement.values);
    out.EndObject();
  }
  out.EndArray();
}

void WriteNodeSelector(JsonWriter& out, const api::NodeSelector& selector) {
  out.BeginObject().Key("nodeSelectorTerms").BeginArray();
  for (const api::NodeSelectorTerm& term : selector.terms) {
    out.BeginObject();
    WriteRequirements(out, "matchExpressions", term.match_expressions);
    WriteRequirements(out, "matchFields", term.match_fields);
    out.EndObject();
  }
  out.EndArray().EndObject();
}

void WriteMeta(JsonWriter& out, const api::ObjectMeta& meta, const std::string& name_prefix) {
  out.Key("metadata").BeginObject().Key("generateName").String(name_prefix).Key("namespace").String(meta.ns);
  out.Key("annotations").BeginObject();
  for (const auto& [key, value] : meta.annotations) out.Key(key).String(value);
  out.EndObject().Key("ownerReferences").BeginArray();
  for (const api::OwnerReference& owner : meta.owner_references) {
    out.BeginObject().Key("apiVersion").String(owner.api_version).Key("kind").String(owner.kind);
    out.Key("name").String(owner.name).Key("uid").String(owner.uid).Key("controller").Bool(owner.controller);
    out.EndObject();
  }
  out.EndArray().EndObject();
}

}  // namespace

std::string NewClaimJson(const api::ResourceClaim& claim, const std::string& name_prefix) {
  JsonWriter out;
  out.BeginObject().Key("kind").String("ResourceClaim").Key("apiVersion").String("resource.k8s.io/v1");
  WriteMeta(out, claim.meta, name_prefix);
  out.Key("spec").BeginObject().Key("devices").BeginObject().Key("requests").BeginArray();
  for (const api::DeviceRequest& request : claim.requests) {
    out.BeginObject().Key("name").String(request.name).Key("exactly").BeginObject();
    out.Key("deviceClassName").String(request.exactly->device_class_name);
    out.Key("allocationMode").String(request.exactly->allocation_mode).Key("count").Int(request.exactly->count);
    out.EndObject().EndObject();
  }
  return out.EndArray().EndObject().EndObject().EndObject().Take();
}

std::string AllocationJson(const api::AllocationResult& allocation) {
  JsonWriter out;
  out.BeginObject().Key("devices").BeginObject();
  if (!allocation.results.empty()) {
    out.Key("results").BeginArray();
    for (const api::DeviceRequestAllocationResult& result : allocation.results) WriteResult(out, result);
    out.EndArray();
  }
  if (!allocation.config.empty()) {
    out.Key("config").BeginArray();
    for (const api::DeviceConfiguration& config : allocation.config) WriteConfiguration(out, config);
    out.EndArray();
  }
  out.EndObject();
  if (allocation.node_selector) {
    out.Key("nodeSelector");
    WriteNodeSelector(out, *allocation.node_selector);
  }
  if (allocation.allocation_timestamp) {
    out.Key("allocationTimestamp").String(FormatTime(*allocation.allocation_timestamp));
  }
  return out.EndObject().Take();
}

std::string ConsumerJson(const api::ResourceClaimConsumer& consumer) {
  JsonWriter out;
  out.BeginObject().Text("apiGroup", consumer.api_group).Key("resource").String(consumer.resource);
  return out.Key("name").String(consumer.name).Key("uid").String(consumer.uid).EndObject().Take();
}

std::string ExtendedResourcePatch(const std::vector<api::ExtendedResourceClaimStatus::Mapping>& mappings,
                                  const std::string& claim_name) {
  JsonWriter out;
  out.BeginObject().Key("status").BeginObject().Key("extendedResourceClaimStatus").BeginObject();
  out.Key("requestMappings").BeginArray();
  for (const api::ExtendedResourceClaimStatus::Mapping& mapping : mappings) {
    out.BeginObject().Key("containerName").String(mapping.container_name);
    out.Key("requestName").String(mapping.request_name).Key("resourceName").String(mapping.resource_name).EndObject();
  }
  return out.EndArray().Key("resourceClaimName").String(claim_name).EndObject().EndObject().EndObject().Take();
}

std::string NodeAllocatablePatch(const std::string& pod_uid,
                                 const std::vector<api::NodeAllocatableClaimStatus>& claims) {
  JsonWriter out;
  out.BeginObject().Key("metadata").BeginObject().Key("uid").String(pod_uid).EndObject();
  out.Key("status").BeginObject().Key("nodeAllocatableResourceClaimStatuses").BeginArray();
  for (const api::NodeAllocatableClaimStatus& claim : claims) {
    out.BeginObject().Key("resourceClaimName").String(claim.claim_name);
    WriteStrings(out, "containers", claim.containers);
    if (!claim.mapping.empty()) {
      out.Key("mapping").BeginArray();
      for (const auto& [name, amount] : claim.mapping) {
        out.BeginObject().Key("name").String(name).Key("quantity").String(amount.String()).EndObject();
      }
      out.EndArray();
    }
    if (!claim.overhead.empty()) {
      out.Key("overhead").BeginArray();
      for (const api::NodeAllocatableClaimStatus::Overhead& overhead : claim.overhead) {
        out.BeginObject().Key("name").String(overhead.name);
        if (overhead.per_pod) out.Key("perPod").String(overhead.per_pod->String());
        if (overhead.per_container) out.Key("perContainer").String(overhead.per_container->String());
        out.EndObject();
      }
      out.EndArray();
    }
    out.EndObject();
  }
  return out.EndArray().EndObject().EndObject().Take();
}

}  // namespace berth::client
