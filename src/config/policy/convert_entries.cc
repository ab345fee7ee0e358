// SPDX-License-Identifier: Apache-2.0
#include "config/policy/convert_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace berth::config {
namespace {

constexpr std::string_view kLabelPreferred =
    "if all pods shall prefer the label, say so in NodeAffinityArgs.addedAffinity (preferredDuringScheduling...), "
    "where it counts together with the preferences of pods";

bool IsCloudVolumeLimit(std::string_view name) {
  return name == "MaxEBSVolumeCount" || name == "MaxGCEPDVolumeCount" || name == "MaxAzureDiskVolumeCount" ||
         name == "MaxCinderVolumeCount";
}

// Why there is nothing for a predicate today. Nothing if there is something.
std::optional<ConversionNote> WhyNot(const PolicyPredicate& predicate) {
  const std::string subject = "predicate " + predicate.name;
  if (IsCloudVolumeLimit(predicate.name)) {
    return ConversionNote{false, subject,
                          "the volumes of clouds belong to CSI drivers today, and no plugin counts others",
                          "NodeVolumeLimits counts them by the limits that the drivers report, and is enabled"};
  }
  if (predicate.argument && predicate.argument->service_affinity) {
    return ConversionNote{false, subject, "no plugin keeps the pods of a service together by node labels",
                          "give the pods a podAffinity to each other, with the label as topologyKey"};
  }
  if (predicate.name == "CheckServiceAffinity" || predicate.name == "CheckNodeLabelPresence") {
    return ConversionNote{true, subject, "the release ignores the argument of a predicate of this name",
                          predicate.argument ? "give it a name of its own and convert it again" : ""};
  }
  return std::nullopt;
}

std::optional<ConversionNote> WhyNot(const PolicyPriority& priority) {
  const std::string subject = "priority " + priority.name;
  if (priority.name == "NodePreferAvoidPodsPriority") {
    return ConversionNote{false, subject,
                          "nothing reads the annotation scheduler.alpha.kubernetes.io/preferAvoidPods any more",
                          "taint such nodes with effect PreferNoSchedule"};
  }
  if (priority.name == "NodeLabel" || (priority.argument && priority.argument->label_preference)) {
    return ConversionNote{false, subject, "no plugin scores nodes by a label alone", std::string(kLabelPreferred)};
  }
  if (priority.name == "ServiceAffinity" || (priority.argument && priority.argument->service_anti_affinity)) {
    return ConversionNote{false, subject, "no plugin spreads the pods of a service over the values of a node label",
                          "give the pods topologySpreadConstraints with the label as topologyKey, or give "
                          "PodTopologySpreadArgs defaultConstraints for all pods"};
  }
  return std::nullopt;
}

template <class Entry>
void LeaveOut(std::vector<Entry>& entries, std::vector<ConversionNote>& notes) {
  std::vector<Entry> kept;
  for (Entry& entry : entries) {
    std::optional<ConversionNote> note = WhyNot(entry);
    if (note) {
      notes.push_back(*std::move(note));
    } else {
      kept.push_back(std::move(entry));
    }
  }
  entries = std::move(kept);
}

bool IsResourceStrategy(const PolicyPriority& priority) {
  return priority.name == "LeastRequestedPriority" || priority.name == "MostRequestedPriority" ||
         (priority.argument && priority.argument->requested_to_capacity_ratio);
}

// NodeResourcesFit has one strategy: the heaviest stays.
void KeepOneStrategy(std::vector<PolicyPriority>& priorities, std::vector<ConversionNote>& notes) {
  const PolicyPriority* heaviest = nullptr;
  for (const PolicyPriority& priority : priorities) {
    if (IsResourceStrategy(priority) && (heaviest == nullptr || priority.weight > heaviest->weight))
      heaviest = &priority;
  }
  if (heaviest == nullptr) return;
  const std::string kept = heaviest->name;
  std::erase_if(priorities, [&](const PolicyPriority& priority) {
    if (!IsResourceStrategy(priority) || priority.name == kept) return false;
    notes.push_back({false, "priority " + priority.name,
                     fmt::format("a profile scores the use of resources by one strategy, and {} weighs more", kept),
                     "use a second profile, with another schedulerName"});
    return true;
  });
}

void ForgetIgnoredResources(std::vector<framework::ExtenderConfiguration>& extenders) {
  for (framework::ExtenderConfiguration& extender : extenders) {
    for (framework::ExtenderManagedResource& resource : extender.managed_resources)
      resource.ignored_by_scheduler = false;
  }
}

bool HasPredicate(const Policy& policy, std::string_view name) {
  return std::ranges::find(*policy.predicates, name, &PolicyPredicate::name) != policy.predicates->end();
}

}  // namespace

void LeaveOutForeignEntries(Policy& policy, std::vector<ConversionNote>& notes) {
  const bool limits_volumes = std::ranges::any_of(*policy.predicates, IsCloudVolumeLimit, &PolicyPredicate::name);
  LeaveOut(*policy.predicates, notes);
  if (limits_volumes && !HasPredicate(policy, "MaxCSIVolumeCountPred")) {
    policy.predicates->push_back({"MaxCSIVolumeCountPred", {}});
  }
  LeaveOut(*policy.priorities, notes);
  KeepOneStrategy(*policy.priorities, notes);
  // Where no plugin counts resources there is none to ignore them, and saying it would be an error.
  if (!HasPredicate(policy, "GeneralPredicates") && !HasPredicate(policy, "PodFitsResources")) {
    ForgetIgnoredResources(policy.extenders);
  }
  if (policy.always_check_all_predicates) {
    notes.push_back({false, "alwaysCheckAllPredicates", "a node is given up at the first plugin that rejects it",
                     "it changes nothing but the reasons that are reported; `berth scheduler --policy-config-file` "
                     "still heeds it"});
    policy.always_check_all_predicates = false;
  }
}

}  // namespace berth::config
