// SPDX-License-Identifier: Apache-2.0
// Deployments.
#include <fmt/format.h>

#include <memory>

#include "server/kinds/internal_value.h"
#include "server/kinds/kinds.h"
#include "server/kinds/pods/container_defaults.h"
#include "server/kinds/pods/pod_template.h"
#include "server/kinds/workloads/workload.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

void ValidateDeploymentRollingUpdate(const Json& rolling, const FieldPath& path, FieldErrors& errors) {
  const Json& unavailable = rolling["maxUnavailable"];
  const Json& surge = rolling["maxSurge"];
  const FieldPath unavailable_path = path / "maxUnavailable";
  ValidateIntOrPercent(unavailable, unavailable_path, errors);
  ValidateIntOrPercent(surge, path / "maxSurge", errors);
  if (NumberOf(unavailable) == 0 && NumberOf(surge) == 0) {
    errors.Invalid(unavailable_path, unavailable, "may not be 0 when `maxSurge` is 0");
  }
  ValidateAtMostAll(unavailable, unavailable_path, errors);
}

void ValidateStrategy(const Json& strategy, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = strategy["type"].text();
  if (type == "Recreate") {
    if (strategy.Has("rollingUpdate")) {
      errors.Forbidden(path / "rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type == "RollingUpdate") {
    ValidateDeploymentRollingUpdate(strategy["rollingUpdate"], path / "rollingUpdate", errors);
  } else {
    errors.Add({.reason = "FieldValueNotSupported",
                .message = fmt::format(R"(Unsupported value: {}: supported values: "Recreate", "RollingUpdate")",
                                       InternalText(strategy, "apps.v1.DeploymentStrategy")),
                .field = path});
  }
}

class DeploymentStrategy final : public WorkloadStrategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    DefaultPodTemplate(spec.Make("template"));
    spec.SetDefault("replicas", Json::Int(1));
    Json& strategy = spec.Make("strategy");
    DefaultText(strategy, "type", "RollingUpdate");
    if (strategy["type"].text() == "RollingUpdate") {
      Json& rolling = strategy.Make("rollingUpdate");
      rolling.SetDefault("maxUnavailable", Json::String("25%"));
      rolling.SetDefault("maxSurge", Json::String("25%"));
    }
    spec.SetDefault("revisionHistoryLimit", Json::Int(10));
    spec.SetDefault("progressDeadlineSeconds", Json::Int(600));
  }

  // Annotations are copied to replica sets, so a change of them is one to act on.
  void PrepareUpdate(Json& object, const Json& old) const override {
    WorkloadStrategy::PrepareUpdate(object, old);
    const Json& metadata = old["metadata"];
    if (object["metadata"]["annotations"] != metadata["annotations"]) {
      object.Make("metadata").Set("generation", Json::Int(metadata["generation"].IntOr(0) + 1));
    }
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = object["spec"];
    CheckNonNegative(errors, path, spec, {"replicas"});
    ValidateRequiredSelector(spec, "deployment", path, errors);
    if (!IsReadable(spec["selector"])) {
      errors.Invalid(path / "selector", spec["selector"], "invalid label selector");
    } else {
      ValidateMatchingTemplate(spec, path, errors);
      ValidateEndlessPods(spec, "ReplicaSet", path, errors);
    }
    ValidateStrategy(spec["strategy"], path / "strategy", errors);
    CheckNonNegative(errors, path, spec, {"minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"});
    const Json& deadline = spec["progressDeadlineSeconds"];
    if (!deadline.is_null() && deadline.IntOr(0) <= spec["minReadySeconds"].IntOr(0)) {
      errors.Invalid(path / "progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
    }
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckImmutable(errors, FieldPath("spec.selector"), object["spec"]["selector"], old["spec"]["selector"]);
  }

  void ValidateStatusUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    const FieldPath path("status");
    const Json& status = object["status"];
    CheckNonNegative(errors, path, status,
                     {"observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
                      "unavailableReplicas", "terminatingReplicas", "collisionCount"});
    constexpr std::string_view kMost = "cannot be greater than status.replicas";
    ValidateCounterOrder(status,
                         {{"updatedReplicas", "replicas", kMost},
                          {"readyReplicas", "replicas", kMost},
                          {"availableReplicas", "replicas", kMost},
                          {"availableReplicas", "readyReplicas", "cannot be greater than readyReplicas"}},
                         path, errors);
    ValidateCollisionCount(status, old["status"], path, errors);
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeDeploymentStrategy() { return std::make_unique<DeploymentStrategy>(); }

}  // namespace berth::server
