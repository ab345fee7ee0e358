// SPDX-License-Identifier: Apache-2.0
// Horizontal pod autoscalers. Metrics and behavior are taken as they are.
#include <algorithm>

#include "server/kinds/kinds.h"
#include "server/kinds/workloads/autoscaler_metric.h"
#include "server/kinds/workloads/autoscaler_view.h"
#include "server/model/checks.h"
#include "server/model/path_segment.h"

namespace berth::server {
namespace {

class AutoscalerStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    spec.SetDefault("minReplicas", Json::Int(1));
    if (!spec["metrics"].empty()) return;
    Json target{{"type", Json::String("Utilization")}, {"averageUtilization", Json::Int(kDefaultProcessorUse)}};
    Json metric{{"type", Json::String("Resource")},
                {"resource", Json{{"name", Json::String("cpu")}, {"target", std::move(target)}}}};
    spec.Set("metrics", Json::MakeList({std::move(metric)}));
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    const int64_t min = spec["minReplicas"].IntOr(1);
    const int64_t max = spec["maxReplicas"].IntOr(0);
    if (max < min) {
      errors.Invalid(kSpec / "maxReplicas", spec["maxReplicas"], "must be greater than or equal to `minReplicas`");
    }
    const FieldPath target_path = kSpec / "scaleTargetRef";
    const Json& target = spec["scaleTargetRef"];
    for (const std::string_view name : {"kind", "name"}) {
      const std::string& text = target[name].text();
      if (!text.empty()) Report(errors, target_path / name, text, CheckPathSegment(text));
    }
    if (min == 0) ValidateScaleToZero(spec["metrics"], errors);
    if (min < 0) errors.Invalid(kSpec / "minReplicas", spec["minReplicas"], "must be greater than or equal to 0");
    if (max == 0) {
      errors.Required(kSpec / "maxReplicas");
    } else if (max < 0) {
      errors.Invalid(kSpec / "maxReplicas", spec["maxReplicas"], "must be greater than or equal to 1");
    }
    Require(errors, target_path, target, "kind");
    Require(errors, target_path, target, "name");
    if (target["apiVersion"].text().find('/') == std::string::npos) {
      errors.Invalid(target_path / "apiVersion", target["apiVersion"].text(), "apiVersion must specify API group");
    }
  }

  bool has_status() const override { return true; }
  bool has_generation() const override { return true; }

 private:
  // Pods that are not there have no metrics of their own.
  static void ValidateScaleToZero(const Json& metrics, FieldErrors& errors) {
    const bool has_other = std::ranges::any_of(metrics.items(), [](const Json& metric) {
      return metric["type"].text() == "Object" || metric["type"].text() == "External";
    });
    if (has_other) return;
    errors.Forbidden(kSpec / "metrics",
                     "must specify at least one Object or External metric to support scaling to zero replicas");
  }
};

// The same objects as autoscaling/v1 shows them.
class OldAutoscalerStrategy final : public Strategy {
 public:
  // The target that v1 leaves open is set where it becomes v2.
  void Default(Json& object, bool /*is_create*/) const override {
    object.Make("spec").SetDefault("minReplicas", Json::Int(1));
    object = ToOldAutoscaler(ToNewAutoscaler(std::move(object)));
  }

  // Annotations hold parts of the spec and of the status.
  void PrepareCreate(Json& object) const override {
    Json kept = ToNewAutoscaler(std::move(object));
    kept_.PrepareCreate(kept);
    object = ToOldAutoscaler(std::move(kept));
  }
  void PrepareUpdate(Json& object, const Json& old) const override {
    Json kept = ToNewAutoscaler(std::move(object));
    kept_.PrepareUpdate(kept, ToNewAutoscaler(old));
    object = ToOldAutoscaler(std::move(kept));
  }
  void PrepareStatusUpdate(Json& object, const Json& old) const override {
    Json kept = ToNewAutoscaler(std::move(object));
    kept_.PrepareStatusUpdate(kept, ToNewAutoscaler(old));
    object = ToOldAutoscaler(std::move(kept));
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    kept_.Validate(ToNewAutoscaler(object), errors);
  }

  bool has_status() const override { return true; }
  bool has_generation() const override { return true; }

 private:
  AutoscalerStrategy kept_;
};

}  // namespace

std::unique_ptr<Strategy> MakeHorizontalPodAutoscalerStrategy() { return std::make_unique<AutoscalerStrategy>(); }
std::unique_ptr<Strategy> MakeOldAutoscalerStrategy() { return std::make_unique<OldAutoscalerStrategy>(); }

}  // namespace berth::server
