// SPDX-License-Identifier: Apache-2.0
// Stateful sets.
#include <algorithm>
#include <memory>
#include <string>

#include "server/kinds/internal_value.h"
#include "server/kinds/kinds.h"
#include "server/kinds/pods/container_defaults.h"
#include "server/kinds/pods/pod_claim_template.h"
#include "server/kinds/pods/pod_template.h"
#include "server/kinds/pods/pod_volume_defaults.h"
#include "server/kinds/workloads/workload.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

void DefaultClaims(Json& spec) {
  Json* claims = spec.Find("volumeClaimTemplates");
  if (claims == nullptr) return;
  for (Json& claim : claims->mutable_items()) {
    claim.SetDefault("apiVersion", Json::String("v1"));
    claim.SetDefault("kind", Json::String("PersistentVolumeClaim"));
    DefaultClaimSpec(claim.Make("spec"));
    Json& phase = claim.Make({"status", "phase"});
    if (phase.text().empty()) phase = Json::String("Pending");
  }
}

void ValidateStatefulRollingUpdate(const Json& rolling, const FieldPath& path, FieldErrors& errors) {
  CheckNonNegative(errors, path, rolling, {"partition"});
  const Json* unavailable = rolling.Find("maxUnavailable");
  if (unavailable == nullptr) return;
  const FieldPath at = path / "maxUnavailable";
  ValidateIntOrPercent(*unavailable, at, errors);
  if (NumberOf(*unavailable) == 0) errors.Invalid(at, *unavailable, "cannot be 0");
  ValidateAtMostAll(*unavailable, at, errors);
}

void ValidateStatefulUpdateStrategy(const Json& strategy, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = strategy["type"].text();
  const Json* rolling = strategy.Find("rollingUpdate");
  if (type == "RollingUpdate") {
    if (rolling != nullptr) ValidateStatefulRollingUpdate(*rolling, path / "rollingUpdate", errors);
    return;
  }
  if (type != "OnDelete") {
    return InvalidInternal(errors, path, strategy, "apps.v1.StatefulSetUpdateStrategy",
                           "must be 'RollingUpdate' or 'OnDelete'");
  }
  if (rolling == nullptr) return;
  InvalidInternal(errors, path / "rollingUpdate", *rolling, "apps.v1.RollingUpdateStatefulSetStrategy",
                  "only allowed for updateStrategy 'RollingUpdate'");
}

// The template with the volumes that its claims become, and without what the controller overwrites.
Json WithClaims(const Json& spec) {
  Json effective = spec;
  Json& pod = effective.Make({"template", "spec"});
  pod.Erase("subdomain");
  pod.Erase("hostname");
  const Json& claims = spec["volumeClaimTemplates"];
  if (claims.empty()) return effective;
  Json volumes = Json::MakeList();
  for (const Json& claim : claims.items()) {
    const Json& name = claim["metadata"]["name"];
    volumes.Append(Json{{"name", name}, {"persistentVolumeClaim", Json{{"claimName", name}}}});
  }
  for (const Json& volume : spec["template"]["spec"]["volumes"].items()) {
    const bool is_claim = std::ranges::any_of(
        claims.items(), [&](const Json& claim) { return claim["metadata"]["name"] == volume["name"]; });
    if (!is_claim) volumes.Append(volume);
  }
  pod.Set("volumes", std::move(volumes));
  return effective;
}

class StatefulSetStrategy final : public WorkloadStrategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    DefaultPodTemplate(spec.Make("template"));
    DefaultClaims(spec);
    DefaultText(spec, "podManagementPolicy", "OrderedReady");
    Json& strategy = spec.Make("updateStrategy");
    if (strategy["type"].text().empty()) {
      strategy.Set("type", "RollingUpdate");
      strategy.SetDefault("rollingUpdate", Json::MakeMap());
    }
    if (Json* rolling = strategy.Find("rollingUpdate");
        rolling != nullptr && strategy["type"].text() == "RollingUpdate") {
      rolling->SetDefault("partition", Json::Int(0));
      rolling->SetDefault("maxUnavailable", Json::Int(1));
    }
    Json& retention = spec.Make("persistentVolumeClaimRetentionPolicy");
    for (const std::string_view when : {"whenDeleted", "whenScaled"}) {
      DefaultText(retention, when, "Retain");
    }
    spec.SetDefault("replicas", Json::Int(1));
    spec.SetDefault("revisionHistoryLimit", Json::Int(10));
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = object["spec"];
    const std::string& management = spec["podManagementPolicy"].text();
    if (management != "OrderedReady" && management != "Parallel") {
      errors.Invalid(path / "podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'");
    }
    ValidateStatefulUpdateStrategy(spec["updateStrategy"], path / "updateStrategy", errors);
    const FieldPath retention_path = path / "persistentVolumeClaimRetentionPolicy";
    for (const std::string_view when : {"whenDeleted", "whenScaled"}) {
      CheckOneOf(errors, retention_path / when, spec["persistentVolumeClaimRetentionPolicy"][when].text(),
                 {"Retain", "Delete"});
    }
    const FieldPath claims_path = path / "volumeClaimTemplates";
    const Json& claims = spec["volumeClaimTemplates"];
    for (size_t i = 0; i < claims.size(); ++i) {
      const FieldPath at = claims_path[i];
      ValidateClaimTemplateSpec(claims[i]["spec"], at / "spec", errors);
    }
    CheckNonNegative(errors, path, spec, {"replicas", "minReadySeconds"});
    CheckNonNegative(errors, path / "ordinals", spec["ordinals"], {"start"});
    const std::string& service = spec["serviceName"].text();
    if (!service.empty()) Report(errors, path / "serviceName", service, CheckDnsLabel(service));
    ValidateRequiredSelector(spec, "statefulset", path, errors);
    if (!IsReadable(spec["selector"])) {
      errors.Invalid(path / "selector", spec["selector"], "");
    } else {
      ValidateMatchingTemplate(WithClaims(spec), path, errors);
    }
    ValidateEndlessPods(spec, "StatefulSet", path, errors);
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    const FieldPath path("spec");
    for (const std::string_view field : {"selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"}) {
      CheckImmutable(errors, path / field, object["spec"][field], old["spec"][field]);
    }
  }

  void ValidateStatusUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    const FieldPath path("status");
    const Json& status = object["status"];
    CheckNonNegative(errors, path, status,
                     {"replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas",
                      "observedGeneration", "collisionCount"});
    constexpr std::string_view kMost = "cannot be greater than status.replicas";
    ValidateCounterOrder(status,
                         {{"readyReplicas", "replicas", kMost},
                          {"currentReplicas", "replicas", kMost},
                          {"updatedReplicas", "replicas", kMost},
                          {"availableReplicas", "replicas", kMost},
                          {"availableReplicas", "readyReplicas", "cannot be greater than status.readyReplicas"}},
                         path, errors);
    ValidateCollisionCount(status, old["status"], path, errors);
  }

  NameRule name_rule() const override { return NameRule::kDnsLabel; }
};

}  // namespace

std::unique_ptr<Strategy> MakeStatefulSetStrategy() { return std::make_unique<StatefulSetStrategy>(); }

}  // namespace berth::server
