// SPDX-License-Identifier: Apache-2.0
#include "config/policy/policy_algorithm_v116.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

#include "config/policy/policy_profile.h"
#include "config/policy/policy_validation_v116.h"

namespace berth::config {
namespace {

using framework::ExtenderConfiguration;

constexpr std::string_view kPredicateOrder[] = {
    "CheckNodeCondition",     "CheckNodeUnschedulable",
    "GeneralPredicates",      "HostName",
    "PodFitsHostPorts",       "MatchNodeSelector",
    "PodFitsResources",       "NoDiskConflict",
    "PodToleratesNodeTaints", "PodToleratesNodeNoExecuteTaints",
    "CheckNodeLabelPresence", "CheckServiceAffinity",
    "MaxEBSVolumeCount",      "MaxGCEPDVolumeCount",
    "MaxCSIVolumeCountPred",  "MaxAzureDiskVolumeCount",
    "MaxCinderVolumeCount",   "CheckVolumeBinding",
    "NoVolumeZoneConflict",   "CheckNodeMemoryPressure",
    "CheckNodePIDPressure",   "CheckNodeDiskPressure",
    "EvenPodsSpread",         "MatchInterPodAffinity",
};

constexpr std::string_view kBuiltInPredicates[] = {
    "CheckNodeUnschedulable", "CheckVolumeBinding", "GeneralPredicates",    "HostName",
    "MatchInterPodAffinity",  "MatchNodeSelector",  "MaxCinderVolumeCount", "MaxAzureDiskVolumeCount",
    "MaxCSIVolumeCountPred",  "MaxEBSVolumeCount",  "MaxGCEPDVolumeCount",  "NoDiskConflict",
    "NoVolumeZoneConflict",   "PodFitsHostPorts",   "PodFitsPorts",         "PodFitsResources",
    "PodToleratesNodeTaints",
};

constexpr std::string_view kDefaultPredicateNames[] = {
    "CheckNodeUnschedulable",  "CheckVolumeBinding",    "GeneralPredicates",      "MatchInterPodAffinity",
    "MaxAzureDiskVolumeCount", "MaxCSIVolumeCountPred", "MaxEBSVolumeCount",      "MaxGCEPDVolumeCount",
    "NoDiskConflict",          "NoVolumeZoneConflict",  "PodToleratesNodeTaints",
};

constexpr std::string_view kMandatoryPredicateNames[] = {"CheckNodeUnschedulable", "PodToleratesNodeTaints"};

struct BuiltInPriority {
  std::string_view name;
  int64_t default_weight = 0;  // 0: not one of the default provider's.
};

constexpr std::string_view kLeastRequested = "LeastRequestedPriority";
constexpr std::string_view kMostRequested = "MostRequestedPriority";
constexpr BuiltInPriority kBuiltInPriorities[] = {
    {"BalancedResourceAllocation", 1},
    {"EqualPriority"},
    {"ImageLocalityPriority", 1},
    {"InterPodAffinityPriority", 1},
    {kLeastRequested, 1},
    {kMostRequested},
    {"NodeAffinityPriority", 1},
    {"NodePreferAvoidPodsPriority", 10000},
    {"RequestedToCapacityRatioPriority"},
    {"SelectorSpreadPriority", 1},
    {"ServiceSpreadingPriority"},
    {"TaintTolerationPriority", 1},
};

// By name; what is registered later replaces what was there.
using PredicateMap = std::map<std::string, PolicyPredicate, std::less<>>;
using PriorityMap = std::map<std::string, PolicyPriority, std::less<>>;

std::unexpected<Error> Fatal(std::string text) { return Fail(Code::kInternal, std::move(text)); }

Result<void> CheckName(std::string_view name) {
  const auto is_alphanumeric = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto is_inner = [&](char c) { return is_alphanumeric(c) || c == '-'; };
  const bool valid = name.size() >= 2 && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
                     std::ranges::all_of(name, is_inner);
  if (valid) return {};
  return Fatal(fmt::format(
      "Algorithm name {} does not match the name validation regexp \"^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])$\".",
      name));
}

Result<void> RegisterPredicate(const PolicyPredicate& predicate, PredicateMap& registered) {
  if (!predicate.argument) {
    const bool known = registered.contains(predicate.name) ||
                       std::ranges::find(kBuiltInPredicates, predicate.name) != std::end(kBuiltInPredicates);
    if (!known) return Fatal("Invalid configuration: Predicate type not found for " + predicate.name);
    registered.try_emplace(predicate.name, predicate);
    return {};
  }
  const int count = predicate.argument->service_affinity.has_value() + predicate.argument->labels_presence.has_value();
  if (count != 1) {
    return Fatal(
        fmt::format("Exactly 1 predicate argument is required, numArgs: {}, Predicate: {}", count, predicate.name));
  }
  BERTH_CHECK_OK(CheckName(predicate.name));
  registered.insert_or_assign(predicate.name, predicate);
  return {};
}

Result<void> RegisterPriority(const PolicyPriority& priority, PriorityMap& registered) {
  if (!priority.argument) {
    const bool known =
        registered.contains(priority.name) ||
        std::ranges::find(kBuiltInPriorities, priority.name, &BuiltInPriority::name) != std::end(kBuiltInPriorities);
    if (!known) return Fatal("Invalid configuration: Priority type not found for " + priority.name);
    registered.try_emplace(priority.name, priority).first->second.weight = priority.weight;
    return {};
  }
  const PriorityArgument& argument = *priority.argument;
  const int count = argument.service_anti_affinity.has_value() + argument.label_preference.has_value() +
                    argument.requested_to_capacity_ratio.has_value();
  if (count != 1) {
    return Fatal(
        fmt::format("Exactly 1 priority argument is required, numArgs: {}, Priority: {}", count, priority.name));
  }
  BERTH_CHECK_OK(CheckName(priority.name));
  registered.insert_or_assign(priority.name, priority);
  return {};
}

PredicateMap DefaultPredicatesV116() {
  PredicateMap predicates;
  for (const std::string_view name : kDefaultPredicateNames) {
    predicates.emplace(name, PolicyPredicate{.name = std::string(name), .argument = {}});
  }
  return predicates;
}

PriorityMap DefaultPrioritiesV116() {
  PriorityMap priorities;
  for (const auto& [name, weight] : kBuiltInPriorities) {
    if (weight == 0) continue;
    priorities.emplace(name, PolicyPriority{.name = std::string(name), .weight = weight, .argument = {}});
  }
  return priorities;
}

Result<PredicateMap> SelectPredicatesV116(const Policy& policy) {
  if (!policy.predicates) return DefaultPredicatesV116();
  PredicateMap predicates;
  for (const PolicyPredicate& predicate : *policy.predicates) {
    BERTH_CHECK_OK(RegisterPredicate(predicate, predicates));
  }
  for (const std::string_view name : kMandatoryPredicateNames) {
    predicates.try_emplace(std::string(name), PolicyPredicate{.name = std::string(name), .argument = {}});
  }
  return predicates;
}

Result<PriorityMap> SelectPrioritiesV116(const Policy& policy) {
  if (!policy.priorities) return DefaultPrioritiesV116();
  PriorityMap priorities;
  for (const PolicyPriority& priority : *policy.priorities) BERTH_CHECK_OK(RegisterPriority(priority, priorities));
  return priorities;
}

// What v1.16 finds wrong when it makes the functions of the priorities, in the order of their names.
Result<void> CheckPriorities(const PriorityMap& priorities) {
  for (const auto& [name, priority] : priorities) {
    if (!priority.argument || !priority.argument->requested_to_capacity_ratio) continue;
    const std::string error = ShapeErrorV116(priority.argument->requested_to_capacity_ratio->shape);
    if (!error.empty()) return Fatal("invalid RequestedToCapacityRatioPriority arguments: " + error);
  }
  int64_t total = 0;
  for (const auto& [name, priority] : priorities) {
    const int64_t most = priority.weight * kMaxPriorityV116;
    if (most > std::numeric_limits<int64_t>::max() - total) {
      return Invalid("total priority of priority functions has overflown");
    }
    total += most;
  }
  return {};
}

template <class Map>
auto ValuesOf(Map map) {
  std::vector<typename Map::mapped_type> values;
  for (auto& [name, value] : map) values.push_back(std::move(value));
  return values;
}

Result<AlgorithmV116> BuildAlgorithm(PredicateMap predicates, PriorityMap priorities,
                                     std::vector<ExtenderConfiguration> extenders, int32_t hard_pod_affinity_weight) {
  AlgorithmV116 algorithm;
  algorithm.extenders = std::move(extenders);
  algorithm.hard_pod_affinity_weight = hard_pod_affinity_weight;
  if (hard_pod_affinity_weight < 1 || hard_pod_affinity_weight > 100) {
    return Invalid(fmt::format("invalid hardPodAffinitySymmetricWeight: {}, must be in the range 1-100",
                               hard_pod_affinity_weight));
  }
  BERTH_CHECK_OK(CheckPriorities(priorities));
  algorithm.predicates = ValuesOf(std::move(predicates));
  algorithm.priorities = ValuesOf(std::move(priorities));
  return algorithm;
}

Result<AlgorithmV116> AlgorithmOf(const Policy& policy, const PolicyOptions& options) {
  BERTH_CHECK_OK(ValidatePolicyV116(policy));
  PredicateMap predicates = BERTH_TRY(SelectPredicatesV116(policy));
  PriorityMap priorities = BERTH_TRY(SelectPrioritiesV116(policy));
  std::vector<ExtenderConfiguration> extenders = BERTH_TRY(CompletePolicyExtenders(policy.extenders, options));
  const int32_t given = policy.hard_pod_affinity_symmetric_weight;
  AlgorithmV116 algorithm = BERTH_TRY(BuildAlgorithm(std::move(predicates), std::move(priorities), std::move(extenders),
                                                     given != 0 ? given : options.hard_pod_affinity_weight));
  algorithm.always_check_all_predicates = policy.always_check_all_predicates;
  return algorithm;
}

Result<AlgorithmV116> AlgorithmOf(std::string_view name, const PolicyOptions& options) {
  PriorityMap priorities = DefaultPrioritiesV116();
  if (name == "ClusterAutoscalerProvider") {
    priorities.erase(std::string(kLeastRequested));
    priorities.emplace(kMostRequested,
                       PolicyPriority{.name = std::string(kMostRequested), .weight = 1, .argument = {}});
  } else if (name != "DefaultProvider") {
    return Invalid(fmt::format("plugin \"{}\" has not been registered", name));
  }
  return BuildAlgorithm(DefaultPredicatesV116(), std::move(priorities), {}, options.hard_pod_affinity_weight);
}

// Fatal errors are logged as they are.
Result<AlgorithmV116> WithPrefix(Result<AlgorithmV116> result, std::string_view prefix) {
  if (!result && result.error().code != Code::kInternal) result.error().message.insert(0, prefix);
  return result;
}

}  // namespace

std::span<const std::string_view> PredicateOrderV116() { return kPredicateOrder; }

Result<AlgorithmV116> AlgorithmOfPolicyV116(const Policy& policy, const PolicyOptions& options) {
  return WithPrefix(AlgorithmOf(policy, options), "couldn't create scheduler from policy: ");
}

Result<AlgorithmV116> AlgorithmOfProviderV116(std::string_view name, const PolicyOptions& options) {
  return WithPrefix(AlgorithmOf(name, options), fmt::format("couldn't create scheduler using provider \"{}\": ", name));
}

}  // namespace berth::config
