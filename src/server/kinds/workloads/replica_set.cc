// SPDX-License-Identifier: Apache-2.0
// Replica sets and replication controllers, which came before them.
#include <algorithm>
#include <array>
#include <memory>

#include "server/kinds/kinds.h"
#include "server/kinds/pods/pod_template.h"
#include "server/kinds/workloads/workload.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr std::array<std::string_view, 1> kSelectableOfReplicaSet = {"status.replicas"};

void ValidateStatus(const Json& status, FieldErrors& errors) {
  const FieldPath path("status");
  CheckNonNegative(errors, path, status,
                   {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration",
                    "terminatingReplicas"});
  constexpr std::string_view kMost = "cannot be greater than status.replicas";
  ValidateCounterOrder(status,
                       {{"fullyLabeledReplicas", "replicas", kMost},
                        {"readyReplicas", "replicas", kMost},
                        {"availableReplicas", "replicas", kMost},
                        {"availableReplicas", "readyReplicas", "cannot be greater than readyReplicas"}},
                       path, errors);
}

class ReplicaSetStrategy final : public WorkloadStrategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    DefaultPodTemplate(spec.Make("template"));
    spec.SetDefault("replicas", Json::Int(1));
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = object["spec"];
    CheckNonNegative(errors, path, spec, {"replicas", "minReadySeconds"});
    ValidateRequiredSelector(spec, "deployment", path, errors);
    if (!IsReadable(spec["selector"])) {
      return errors.Invalid(path / "selector", spec["selector"], "invalid label selector");
    }
    ValidateMatchingTemplate(spec, path, errors);
    ValidateEndlessPods(spec, "ReplicaSet", path, errors);
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckImmutable(errors, FieldPath("spec.selector"), object["spec"]["selector"], old["spec"]["selector"]);
  }

  void ValidateStatusUpdate(const Json& object, const Json& /*old*/, FieldErrors& errors) const override {
    ValidateStatus(object["status"], errors);
  }

  std::span<const std::string_view> selectable_fields() const override { return kSelectableOfReplicaSet; }
};

class ReplicationControllerStrategy final : public WorkloadStrategy {
 public:
  // Selector and labels are those of the template unless they are given.
  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    if (Json* pod_template = Template(object)) {
      DefaultPodTemplate(*pod_template);
      const Json labels = (*pod_template)["metadata"]["labels"];
      if (!labels.empty()) {
        if (spec["selector"].empty()) spec.Set("selector", labels);
        if (object["metadata"]["labels"].empty()) object.Make("metadata").Set("labels", labels);
      }
    }
    object.Make("spec").SetDefault("replicas", Json::Int(1));
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = object["spec"];
    CheckNonNegative(errors, path, spec, {"minReadySeconds"});
    Require(errors, path, spec, "selector");
    CheckNonNegative(errors, path, spec, {"replicas"});
    const FieldPath template_path = path / "template";
    if (spec["template"].is_null()) return errors.Required(template_path);
    const Json& labels = spec["template"]["metadata"]["labels"];
    const bool matches = std::ranges::all_of(
        spec["selector"].members(), [&](const Json::Member& label) { return labels[label.name] == label.value; });
    if (!matches) {
      errors.Invalid(template_path / "metadata.labels", labels, "`selector` does not match template `labels`");
    }
    ValidatePodTemplate(spec["template"], template_path, errors);
    ValidateEndlessPods(spec, "ReplicationController", path, errors);
  }

  void ValidateStatusUpdate(const Json& object, const Json& /*old*/, FieldErrors& errors) const override {
    ValidateStatus(object["status"], errors);
  }

  // As it was before there were owners.
  bool orphans_dependents() const override { return true; }
  std::span<const std::string_view> selectable_fields() const override { return kSelectableOfReplicaSet; }
};

}  // namespace

std::unique_ptr<Strategy> MakeReplicaSetStrategy() { return std::make_unique<ReplicaSetStrategy>(); }
std::unique_ptr<Strategy> MakeReplicationControllerStrategy() {
  return std::make_unique<ReplicationControllerStrategy>();
}

}  // namespace berth::server
