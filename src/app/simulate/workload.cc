// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/workload.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/decode/decode.h"
#include "api/decode/decode_kinds.h"
#include "api/decode/decode_parts.h"
#include "api/decode/field_reader.h"
#include "app/simulate/defaults.h"
#include "app/simulate/names.h"

namespace berth::simulate {
namespace {

struct KindOfWorkload {
  std::string_view kind;
  std::string_view group;
};
constexpr std::array<KindOfWorkload, 6> kWorkloads = {{
    {"Deployment", "apps/"},
    {"ReplicaSet", "apps/"},
    {"StatefulSet", "apps/"},
    {"DaemonSet", "apps/"},
    {"Job", "batch/"},
    {"ReplicationController", "v1"},
}};

struct Condition {
  std::string type;
  std::string status;
};

void ReadCondition(api::FieldReader& r, Condition& condition) {
  r.Read("type", condition.type);
  r.Read("status", condition.status);
}

void ReadReplicas(api::FieldReader& spec, std::string_view field, int32_t& replicas) {
  spec.Read(field, replicas);
  if (replicas < 0) spec.Fail(std::string(field) + " must not be negative");
}

void ReadJob(api::FieldReader& r, Workload& workload) {
  api::FieldReader spec = r.Child("spec");
  ReadReplicas(spec, "parallelism", workload.replicas);
  spec.Read("completions", workload.completions);
  if (!workload.completions && !spec.Has("parallelism")) workload.completions = 1;
  spec.Read("suspend", workload.is_over);
  api::FieldReader status = r.Child("status");
  status.Read("succeeded", workload.succeeded);
  std::vector<Condition> conditions;
  status.Read("conditions", conditions, ReadCondition);
  workload.is_over |= std::ranges::any_of(conditions, [](const Condition& condition) {
    return (condition.type == "Complete" || condition.type == "Failed") && condition.status == "True";
  });
}

void ReadWorkload(api::FieldReader& r, Workload& workload) {
  api::FieldReader spec = r.Child("spec");
  if (workload.kind == "Job") return ReadJob(r, workload);
  if (workload.kind == "ReplicationController") {
    std::optional<api::Labels> labels;
    spec.Read("selector", labels);
    if (labels) workload.selector = api::LabelSelector{.match_labels = *std::move(labels), .match_expressions = {}};
  } else {
    spec.Read("selector", workload.selector, api::ReadLabelSelector);
  }
  ReadReplicas(spec, "replicas", workload.replicas);
  spec.Child("ordinals").Read("start", workload.first_ordinal);
}

Result<std::vector<api::PersistentVolumeClaim>> DecodeClaims(api::Value templates) {
  std::vector<api::PersistentVolumeClaim> claims;
  for (size_t i = 0; i < templates.size(); ++i) {
    claims.push_back(BERTH_TRY(api::DecodeKind<api::PersistentVolumeClaim>(templates[i])));
  }
  return claims;
}

}  // namespace

bool IsWorkload(std::string_view kind, std::string_view api_version) {
  return std::ranges::any_of(kWorkloads, [&](const KindOfWorkload& candidate) {
    return candidate.kind == kind && api_version.starts_with(candidate.group);
  });
}

Result<PodSource> DecodePodSource(api::Value value, bool is_template) {
  PodSource source;
  source.pod = BERTH_TRY(is_template ? api::DecodePodTemplate(value) : api::DecodePod(value));
  DefaultHostPorts(value["spec"], source.pod.spec);
  const api::Value volumes = value["spec"]["volumes"];
  for (size_t i = 0; i < volumes.size(); ++i) {
    const api::Value claim_template = volumes[i]["ephemeral"]["volumeClaimTemplate"];
    if (!claim_template.is_map()) continue;
    source.ephemeral_claims.push_back(BERTH_TRY(api::DecodeKind<api::PersistentVolumeClaim>(claim_template)));
    source.ephemeral_claims.back().meta.name = volumes[i]["name"].text();
  }
  return source;
}

Result<Workload> DecodeWorkload(const api::ManifestObject& object) {
  Workload workload;
  workload.kind = object.kind;
  workload.api_version = object.api_version;
  api::FieldReader r(object.value);
  r.Read("metadata", workload.meta, api::ReadMeta);
  ReadWorkload(r, workload);
  if (!r.ok()) return std::unexpected(r.error(api::DescribeObject(object.kind, object.value)));
  const api::Value spec = object.value["spec"];
  const api::Value pod_template = spec["template"];
  if (pod_template.is_null()) return workload;
  Result<PodSource> pod = DecodePodSource(pod_template, true);
  if (!pod) {
    return Fail(pod.error().code, api::DescribeObject(object.kind, object.value) + ": " + pod.error().message);
  }
  workload.pod = *std::move(pod);
  workload.template_hash = ShortHash(pod_template.ToJson());
  workload.claims = BERTH_TRY(DecodeClaims(spec["volumeClaimTemplates"]));
  return workload;
}

}  // namespace berth::simulate
