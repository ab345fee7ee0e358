// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/validate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "app/simulate/field_checks.h"

namespace berth::simulate {
namespace {

constexpr int32_t kHighestUserPriority = 1'000'000'000;

void Validate(const api::Node& node, FieldErrors& errors) {
  CheckAmounts(node.allocatable, "status.allocatable", errors);
  for (size_t i = 0; i < node.taints.size(); ++i) {
    const std::string path = fmt::format("spec.taints[{}]", i);
    if (node.taints[i].key.empty()) errors.push_back(path + ".key: is missing");
    CheckOneOf(node.taints[i].effect, kTaintEffects, path + ".effect", errors);
  }
}

void Validate(const api::PersistentVolumeClaim& claim, FieldErrors& errors) {
  CheckAmounts(claim.requests, "spec.resources.requests", errors);
  for (const std::string& mode : claim.access_modes) CheckOneOf(mode, kAccessModes, "spec.accessModes", errors);
  if (!claim.volume_mode.empty()) CheckOneOf(claim.volume_mode, kVolumeModes, "spec.volumeMode", errors);
  CheckSelector(claim.selector, "spec.selector", errors);
}

void Validate(const api::PersistentVolume& volume, FieldErrors& errors) {
  CheckAmounts(volume.capacity, "spec.capacity", errors);
  for (const std::string& mode : volume.access_modes) CheckOneOf(mode, kAccessModes, "spec.accessModes", errors);
  if (!volume.volume_mode.empty()) CheckOneOf(volume.volume_mode, kVolumeModes, "spec.volumeMode", errors);
  if (volume.node_affinity) CheckNodeSelector(*volume.node_affinity, "spec.nodeAffinity.required", errors);
}

void Validate(const api::StorageClass& storage_class, FieldErrors& errors) {
  if (storage_class.provisioner.empty()) errors.emplace_back("provisioner: is missing");
  if (storage_class.volume_binding_mode) {
    CheckOneOf(*storage_class.volume_binding_mode, kBindingModes, "volumeBindingMode", errors);
  }
}

void Validate(const api::PriorityClass& priority_class, FieldErrors& errors) {
  if (priority_class.value > kHighestUserPriority && !priority_class.meta.name.starts_with("system-")) {
    errors.push_back(fmt::format("value: {} is above {}, the highest for a class of the user", priority_class.value,
                                 kHighestUserPriority));
  }
  CheckPreemptionPolicy(priority_class.preemption_policy, "preemptionPolicy", errors);
}

void Validate(const api::PodDisruptionBudget& budget, FieldErrors& errors) {
  CheckSelector(budget.selector, "spec.selector", errors);
}

void Validate(const auto&, FieldErrors&) {}

}  // namespace

void CheckOneOf(std::string_view value, KnownValues known, std::string_view path, FieldErrors& errors) {
  if (std::ranges::find(known, value) != known.end()) return;
  errors.push_back(fmt::format("{}: unknown value \"{}\", expected one of {}", path, value, fmt::join(known, ", ")));
}

void CheckPreemptionPolicy(std::string_view policy, std::string_view path, FieldErrors& errors) {
  if (!policy.empty()) CheckOneOf(policy, kPreemptionPolicies, path, errors);
}

void CheckAmounts(const api::ResourceList& amounts, std::string_view path, FieldErrors& errors) {
  for (const auto& [name, amount] : amounts) {
    if (amount.Sign() < 0) errors.push_back(fmt::format("{}.{}: {} is negative", path, name, amount.String()));
  }
}

void CheckSelector(const std::optional<api::LabelSelector>& selector, std::string_view path, FieldErrors& errors) {
  const Result<api::Selector> compiled = api::Selector::Compile(selector);
  if (!compiled) errors.push_back(fmt::format("{}: {}", path, compiled.error().message));
}

void CheckNodeSelector(const api::NodeSelector& selector, std::string_view path, FieldErrors& errors) {
  const api::NodeSelectorMatcher matcher(selector);
  for (const api::NodeSelectorMatcher::Term& term : matcher.terms()) {
    if (!term.compiled) errors.push_back(fmt::format("{}: {}", path, term.error));
  }
}

void ValidateName(const api::ObjectMeta& meta, FieldErrors& errors) {
  for (const std::string& error : api::ValidateDnsSubdomain(meta.name)) errors.push_back("metadata.name: " + error);
}

void ValidateWorkload(const Workload& workload, FieldErrors& errors) {
  ValidateName(workload.meta, errors);
  CheckSelector(workload.selector, "spec.selector", errors);
  if (!workload.pod) return;
  ValidatePod(workload.pod->pod, "spec.template.", errors);
  const Result<api::Selector> selector = api::Selector::Compile(workload.selector);
  if (workload.selector && selector && !selector->Matches(workload.pod->pod.meta.labels)) {
    errors.emplace_back("spec.template.metadata.labels: spec.selector does not select them");
  }
}

void ValidateObject(const api::Object& object, FieldErrors& errors) {
  ValidateName(api::MetaOf(object), errors);
  std::visit([&](const auto& known) { Validate(known, errors); }, object);
}

}  // namespace berth::simulate
