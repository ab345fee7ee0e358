// SPDX-License-Identifier: Apache-2.0
// Pods.
#include <array>
#include <memory>

#include "server/kinds/kinds.h"
#include "server/kinds/pods/container_defaults.h"
#include "server/kinds/pods/container_validation.h"
#include "server/kinds/pods/ephemeral_containers.h"
#include "server/kinds/pods/pod_affinity.h"
#include "server/kinds/pods/pod_level_resources.h"
#include "server/kinds/pods/pod_resize.h"
#include "server/kinds/pods/pod_spec.h"
#include "server/kinds/pods/pod_update.h"
#include "server/model/checks.h"
#include "server/model/strategy.h"

namespace berth::server {
namespace {

constexpr std::array<std::string_view, 9> kSelectableOfPod = {
    "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
    "status.phase",  "status.podIP",       "status.podIPs",      "status.nominatedNodeName"};

// One address and the list of all of them say the same; the single one counts.
void DefaultIps(Json& status) {
  const Json ip = status["podIP"];
  const Json first = status["podIPs"][size_t{0}]["ip"];
  if (ip.text().empty()) {
    if (!first.text().empty()) status.Set("podIP", first);
  } else if (ip.text() != first.text()) {
    status.Set("podIPs", Json::MakeList({Json{{"ip", ip}}}));
  }
}

void SetGatedCondition(const Json& spec, const Json& now, Json& status) {
  if (spec["schedulingGates"].empty()) return;
  status.Make("conditions")
      .Append(Json{{"lastProbeTime", Json()},
                   {"lastTransitionTime", now},
                   {"message", Json::String("Scheduling is blocked due to non-empty scheduling gates")},
                   {"reason", Json::String("SchedulingGated")},
                   {"status", Json::String("False")},
                   {"type", Json::String("PodScheduled")}});
}

// Conditions whose writer does not know about generations keep the one they had.
void KeepObservedGenerations(Json& status, const Json& old) {
  const auto keep = [](Json& object, const Json& before) {
    const Json& generation = before["observedGeneration"];
    if (object["observedGeneration"].IntOr(0) == 0 && generation.IntOr(0) != 0) {
      object.Set("observedGeneration", generation);
    }
  };
  keep(status, old);
  Json* conditions = status.Find("conditions");
  if (conditions == nullptr) return;
  for (Json& condition : conditions->mutable_items()) {
    for (const Json& before : old["conditions"].items()) {
      if (before["type"] == condition["type"]) keep(condition, before);
    }
  }
}

class PodStrategy final : public Strategy {
 public:
  void Default(Json& pod, bool /*is_create*/) const override {
    Json& spec = pod.Make("spec");
    if (spec["terminationGracePeriodSeconds"].IntOr(0) < 0) spec.Set("terminationGracePeriodSeconds", Json::Int(1));
    const bool has_host_network = spec["hostNetwork"].AsBool();
    for (const std::string_view list : {"containers", "initContainers"}) {
      Json* containers = spec.Find(list);
      if (containers == nullptr || !containers->is_list()) continue;
      for (Json& container : containers->mutable_items()) DefaultPodContainer(container, has_host_network);
    }
    spec.SetDefault("enableServiceLinks", Json::Bool(true));
    DefaultPodSpec(spec);
    DefaultStatus(pod);
  }

  void DefaultStatus(Json& pod) const override {
    if (Json* status = pod.Find("status")) DefaultIps(*status);
  }

  void PrepareCreate(Json& pod) const override {
    pod.Make("metadata").Set("generation", Json::Int(1));
    Json& spec = pod.Make("spec");
    DropDisabledFields(spec, Json(), gates());
    ApplyMatchLabelKeys(pod);
    ApplyAppArmorAnnotations(pod);
    DefaultPodLevelResources(spec);
    Json status{{"phase", Json::String("Pending")}, {"qosClass", Json::String(QosClass(spec))}};
    SetGatedCondition(spec, pod["metadata"]["creationTimestamp"], status);
    pod.Set("status", std::move(status));
  }

  void PrepareUpdate(Json& pod, const Json& old) const override {
    pod.Set("status", old["status"]);
    Json& spec = pod.Make("spec");
    if (!spec.Has("resources") && old["spec"].Has("resources")) spec.Set("resources", old["spec"]["resources"]);
    DropDisabledFields(spec, old["spec"], gates());
  }

  void PrepareStatusUpdate(Json& pod, const Json& old) const override {
    pod.Set("spec", old["spec"]);
    Json& metadata = pod.Make("metadata");
    if (const Json* owners = old["metadata"].Find("ownerReferences")) {
      metadata.Set("ownerReferences", *owners);
    } else {
      metadata.Erase("ownerReferences");
    }
    Json& status = pod.Make("status");
    const Json& before = old["status"];
    for (const std::string_view kept :
         {"qosClass", "resourceClaimStatuses", "extendedResourceClaimStatus", "nodeAllocatableResourceClaimStatuses"}) {
      if (!status.Has(kept) && before.Has(kept)) status.Set(kept, before[kept]);
    }
    KeepObservedGenerations(status, before);
  }

  void Validate(const Json& pod, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = pod["spec"];
    const Json& annotations = pod["metadata"]["annotations"];
    ValidatePodAnnotations(annotations, spec, FieldPath("metadata.annotations"), errors);
    ValidatePodSpec(spec, SpecOf::kPod, pod["metadata"]["name"].text(), path, errors);
    ForbidTokensWithoutAccount(spec, path, errors);
    CheckNonNegative(errors, path, spec, {"terminationGracePeriodSeconds"});
    for (const std::string_view list : {"containers", "initContainers"}) {
      const FieldPath list_path = path / list;
      for (size_t i = 0; i < spec[list].size(); ++i) ValidateImageSpace(spec[list][i], list_path[i], errors);
    }
    // A pod that got ephemeral containers or lost gates has a later generation.
    if (pod["metadata"]["generation"].IntOr(0) != 1) return;
    if (spec.Has("ephemeralContainers")) errors.Forbidden(path / "ephemeralContainers", "cannot be set on create");
    if (!spec["nodeName"].text().empty() && !spec["schedulingGates"].empty()) {
      errors.Forbidden(path / "nodeName", "cannot be set until all schedulingGates have been cleared");
    }
    ValidateProfileAnnotations(annotations, spec, path, errors);
  }

  void ValidateUpdate(const Json& pod, const Json& old, FieldErrors& errors) const override {
    ValidatePodUpdate(pod, old, errors);
  }

  void ValidateStatusUpdate(const Json& pod, const Json& old, FieldErrors& errors) const override {
    ValidatePodStatusUpdate(pod, old, errors);
  }

  void PrepareResize(Json& pod, const Json& old) const override {
    PreparePodResize(pod, old);
    DropDisabledFields(pod.Make("spec"), old["spec"], gates());
  }

  void ValidateResize(const Json& pod, const Json& old, FieldErrors& errors) const override {
    Validate(pod, errors);
    ValidatePodResize(pod, old, errors);
  }

  void PrepareAddition(Json& pod, const Json& old) const override { PrepareEphemeralContainers(pod, old); }

  void ValidateAddition(const Json& pod, const Json& old, FieldErrors& errors) const override {
    Validate(pod, errors);
    ValidateEphemeralContainersUpdate(pod, old, errors);
  }

  bool has_generation() const override { return true; }
  bool has_status() const override { return true; }

  std::optional<int64_t> GraceSeconds(const Json& pod, std::optional<int64_t> asked) const override {
    const std::string& phase = pod["status"]["phase"].text();
    const bool has_ended = phase == "Failed" || phase == "Succeeded";
    if (has_ended || pod["spec"]["nodeName"].text().empty()) return 0;
    const int64_t seconds = asked.value_or(pod["spec"]["terminationGracePeriodSeconds"].IntOr(0));
    return seconds < 0 ? 1 : seconds;
  }

  std::span<const std::string_view> selectable_fields() const override { return kSelectableOfPod; }

  std::string SelectableField(const Json& pod, std::string_view path) const override {
    if (path == "spec.hostNetwork") return pod["spec"]["hostNetwork"].AsBool() ? "true" : "false";
    if (path == "status.podIP") return pod["status"]["podIPs"][size_t{0}]["ip"].text();
    if (path == "status.podIPs") return {};
    const bool is_spec = path.starts_with("spec.");
    return pod[is_spec ? "spec" : "status"][path.substr(path.find('.') + 1)].text();
  }

 private:
  static void ForbidTokensWithoutAccount(const Json& spec, const FieldPath& path, FieldErrors& errors) {
    if (!spec["serviceAccountName"].text().empty()) return;
    const FieldPath volumes_path = path / "volumes";
    for (size_t i = 0; i < spec["volumes"].size(); ++i) {
      const FieldPath volume_path = volumes_path[i];
      const FieldPath sources_path = volume_path / "projected.sources";
      const Json& sources = spec["volumes"][i]["projected"]["sources"];
      for (size_t j = 0; j < sources.size(); ++j) {
        const FieldPath at = sources_path[j];
        if (!sources[j].Has("serviceAccountToken")) continue;
        errors.Forbidden(at / "serviceAccountToken", "must not be specified when serviceAccountName is not set");
      }
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakePodStrategy() { return std::make_unique<PodStrategy>(); }

}  // namespace berth::server
