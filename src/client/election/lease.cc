// SPDX-License-Identifier: Apache-2.0

#include "client/election/lease.h"

#include "api/document/json_writer.h"
#include "api/document/value.h"

namespace berth::client {
namespace {

Time TimeOrZero(api::Value value) { return ParseTime(value.text()).value_or(Time{}); }

std::string Encode(std::string_view metadata, const LeaseRecord& record) {
  api::JsonWriter json;
  json.BeginObject();
  json.Key("kind").String("Lease").Key("apiVersion").String("coordination.k8s.io/v1");
  json.Key("metadata").Raw(metadata);
  json.Key("spec").BeginObject();
  json.Key("holderIdentity").String(record.holder);
  json.Key("leaseDurationSeconds").Int(record.duration_seconds);
  json.Key("acquireTime").String(FormatTimeMicro(record.acquire_time));
  json.Key("renewTime").String(FormatTimeMicro(record.renew_time));
  json.Key("leaseTransitions").Int(record.transitions);
  json.EndObject().EndObject();
  return json.Take();
}

}  // namespace

Result<Lease> ParseLease(std::string_view json) {
  const api::Document document = BERTH_TRY(api::ParseJson(json));
  const api::Value root = document.root();
  const api::Value metadata = root["metadata"];
  if (!metadata.is_map()) return Invalid("lease: metadata: expected an object");
  Lease lease;
  lease.meta.ns = metadata["namespace"].text();
  lease.meta.name = metadata["name"].text();
  lease.meta.uid = metadata["uid"].text();
  lease.meta.resource_version = metadata["resourceVersion"].text();
  lease.metadata_json = metadata.ToJson();
  const api::Value spec = root["spec"];
  lease.record.holder = spec["holderIdentity"].text();
  lease.record.duration_seconds = spec["leaseDurationSeconds"].AsInt().value_or(0);
  lease.record.acquire_time = TimeOrZero(spec["acquireTime"]);
  lease.record.renew_time = TimeOrZero(spec["renewTime"]);
  lease.record.transitions = spec["leaseTransitions"].AsInt().value_or(0);
  return lease;
}

std::string NewLeaseJson(std::string_view ns, std::string_view name, const LeaseRecord& record) {
  api::JsonWriter metadata;
  metadata.BeginObject().Key("name").String(name).Key("namespace").String(ns).EndObject();
  return Encode(metadata.Take(), record);
}

std::string LeaseJson(const Lease& lease, const LeaseRecord& record) { return Encode(lease.metadata_json, record); }

}  // namespace berth::client
