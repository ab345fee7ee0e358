// SPDX-License-Identifier: Apache-2.0
// Daemon sets, and the revisions in which they and stateful sets keep their history.
#include <fmt/format.h>

#include <memory>

#include "server/kinds/internal_value.h"
#include "server/kinds/kinds.h"
#include "server/kinds/pods/container_defaults.h"
#include "server/kinds/pods/pod_template.h"
#include "server/kinds/workloads/workload.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

void ValidateDaemonRollingUpdate(const Json& rolling, const FieldPath& path, FieldErrors& errors) {
  const Json& unavailable = rolling["maxUnavailable"];
  const Json& surge = rolling["maxSurge"];
  const FieldPath unavailable_path = path / "maxUnavailable";
  const FieldPath surge_path = path / "maxSurge";
  ValidateIntOrPercent(unavailable, unavailable_path, errors);
  ValidateIntOrPercent(surge, surge_path, errors);
  ValidateAtMostAll(unavailable, unavailable_path, errors);
  ValidateAtMostAll(surge, surge_path, errors);
  const bool has_unavailable = NumberOf(unavailable) != 0;
  const bool has_surge = NumberOf(surge) != 0;
  if (has_unavailable && has_surge) {
    errors.Invalid(surge_path, surge, "may not be set when maxUnavailable is non-zero");
  } else if (!has_unavailable && !has_surge) {
    errors.Required(unavailable_path, "cannot be 0 when maxSurge is 0");
  }
}

void ValidateDaemonUpdateStrategy(const Json& strategy, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = strategy["type"].text();
  if (type == "OnDelete") return;
  if (type == "RollingUpdate") {
    return ValidateDaemonRollingUpdate(strategy["rollingUpdate"], path / "rollingUpdate", errors);
  }
  errors.Add({.reason = "FieldValueNotSupported",
              .message = fmt::format(R"(Unsupported value: {}: supported values: "RollingUpdate", "OnDelete")",
                                     InternalText(strategy, "apps.v1.DaemonSetUpdateStrategy")),
              .field = path});
}

// Older versions of the API counted changes of the template in the spec; the count lives on in an annotation.
constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

class DaemonSetStrategy final : public WorkloadStrategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    DefaultPodTemplate(spec.Make("template"));
    Json& strategy = spec.Make("updateStrategy");
    DefaultText(strategy, "type", "RollingUpdate");
    if (strategy["type"].text() == "RollingUpdate") {
      Json& rolling = strategy.Make("rollingUpdate");
      rolling.SetDefault("maxUnavailable", Json::Int(1));
      rolling.SetDefault("maxSurge", Json::Int(0));
    }
    spec.SetDefault("revisionHistoryLimit", Json::Int(10));
  }

  void PrepareCreate(Json& object) const override {
    WorkloadStrategy::PrepareCreate(object);
    Json& generation = object.Make({"metadata", "annotations", kTemplateGeneration});
    if (generation.text().empty() || generation.text() == "0") generation = Json::String("1");
  }

  void PrepareUpdate(Json& object, const Json& old) const override {
    WorkloadStrategy::PrepareUpdate(object, old);
    int64_t generation = Json::Number(old["metadata"]["annotations"][kTemplateGeneration].text()).IntOr(0);
    if (object["spec"]["template"] != old["spec"]["template"]) ++generation;
    object.Make({"metadata", "annotations"}).Set(kTemplateGeneration, fmt::to_string(generation));
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = object["spec"];
    const FieldPath selector_path = path / "selector";
    const Json& selector = spec["selector"];
    const Json& labels = spec["template"]["metadata"]["labels"];
    ValidateLabelSelector(selector, selector_path, errors);
    if (IsReadable(selector) && !SelectorMatches(selector, labels)) {
      errors.Invalid(path / "template.metadata.labels", labels, "`selector` does not match template `labels`");
    }
    if (selector.is_map() && selector.empty()) {
      errors.Invalid(selector_path, selector, "empty selector is invalid for daemonset");
    }
    ValidatePodTemplate(spec["template"], path / "template", errors);
    ValidateEndlessPods(spec, "DaemonSet", path, errors);
    CheckNonNegative(errors, path, spec, {"minReadySeconds"});
    ValidateDaemonUpdateStrategy(spec["updateStrategy"], path / "updateStrategy", errors);
    CheckNonNegative(errors, path, spec, {"revisionHistoryLimit"});
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckImmutable(errors, FieldPath("spec.selector"), object["spec"]["selector"], old["spec"]["selector"]);
  }

  void ValidateStatusUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    const FieldPath path("status");
    CheckNonNegative(
        errors, path, object["status"],
        {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady", "observedGeneration",
         "updatedNumberScheduled", "numberAvailable", "numberUnavailable", "collisionCount"});
    ValidateCollisionCount(object["status"], old["status"], path, errors);
  }
};

class ControllerRevisionStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    CheckNonNegative(errors, FieldPath(""), object, {"revision"});
    const Json& data = object["data"];
    if (data.is_map()) return;
    errors.Required("data", data.is_null() ? "data is mandatory" : "data must be a valid JSON object");
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckImmutable(errors, FieldPath("data"), object["data"], old["data"]);
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeDaemonSetStrategy() { return std::make_unique<DaemonSetStrategy>(); }
std::unique_ptr<Strategy> MakeControllerRevisionStrategy() { return std::make_unique<ControllerRevisionStrategy>(); }

}  // namespace berth::server
