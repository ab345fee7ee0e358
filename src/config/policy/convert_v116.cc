// SPDX-License-Identifier: Apache-2.0
#include "config/policy/convert_v116.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/policy/policy_plugins.h"

namespace berth::config {
namespace {

// v1.22 does not look at the argument of an entry with a name it knows.
std::string CustomName(const std::string& name) {
  return IsKnownPredicate(name) || IsKnownPriority(name) ? name + " with argument" : name;
}

void ModernizePredicate(const PolicyPredicate& predicate, std::vector<PolicyPredicate>& out,
                        std::vector<ConversionNote>& notes) {
  const auto order = PredicateOrderV116();
  if (std::ranges::find(order, predicate.name) == order.end()) {
    notes.push_back(
        {true, fmt::format("predicate {}", predicate.name),
         "v1.16 never evaluated it, because it evaluates known names only, so it is left out",
         "to get what it says, name it CheckNodeLabelPresence, CheckServiceAffinity or PodFitsHostPorts and "
         "convert it again"});
    return;
  }
  PolicyPredicate modern = predicate;
  if (modern.argument) modern.name = CustomName(modern.name);
  out.push_back(std::move(modern));
}

void ModernizePriority(const PolicyPriority& priority, std::vector<PolicyPriority>& out,
                       std::vector<ConversionNote>& notes) {
  PolicyPriority modern = priority;
  if (modern.argument) {
    modern.name = CustomName(modern.name);
    if (!modern.argument->requested_to_capacity_ratio) return out.push_back(std::move(modern));
    // v1.16 took a missing weight for 1.
    for (framework::ResourceSpec& resource : modern.argument->requested_to_capacity_ratio->resources) {
      resource.weight = std::max<int64_t>(resource.weight, 1);
    }
    return out.push_back(std::move(modern));
  }
  if (priority.name == "SelectorSpreadPriority" || priority.name == "ServiceSpreadingPriority") {
    notes.push_back({true, fmt::format("priority {}", priority.name),
                     "PodTopologySpread with its default constraints also spreads the pods of a service or controller "
                     "over nodes and zones, but it weighs them differently, and not at all for pods with "
                     "constraints of their own",
                     "give pods topologySpreadConstraints where the spread matters"});
  }
  if (priority.name == "ResourceLimitsPriority") {
    notes.push_back({false, "priority ResourceLimitsPriority", "no plugin looks at the limits of pods",
                     "set requests: NodeResourcesFit and NodeResourcesBalancedAllocation look at them"});
    return;
  }
  if (priority.name == "RequestedToCapacityRatioPriority") {
    modern.argument.emplace().requested_to_capacity_ratio = {{{0, 10}, {100, 0}}, {}};
  }
  out.push_back(std::move(modern));
}

}  // namespace

Policy Modernize(const AlgorithmV116& algorithm, std::vector<ConversionNote>& notes) {
  Policy modern;
  modern.predicates.emplace();
  modern.priorities.emplace();
  for (const PolicyPredicate& predicate : algorithm.predicates) {
    ModernizePredicate(predicate, *modern.predicates, notes);
  }
  for (const PolicyPriority& priority : algorithm.priorities) ModernizePriority(priority, *modern.priorities, notes);
  modern.extenders = algorithm.extenders;
  modern.hard_pod_affinity_symmetric_weight = algorithm.hard_pod_affinity_weight;
  modern.always_check_all_predicates = algorithm.always_check_all_predicates;
  return modern;
}

}  // namespace berth::config
