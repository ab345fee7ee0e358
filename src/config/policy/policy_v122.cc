// SPDX-License-Identifier: Apache-2.0
#include "config/policy/policy_v122.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "api/document/field_error.h"
#include "config/policy/policy_arguments.h"
#include "config/policy/policy_plugins.h"
#include "config/policy/policy_profile.h"
#include "config/policy/policy_validation.h"

namespace berth::config {
namespace {

using framework::ExtensionPoint;

// The name under which a predicate's plugins are found. Labels of custom predicates are added to `arguments`.
Result<std::string> SelectPredicate(const PolicyPredicate& predicate, PolicyArguments& arguments) {
  BERTH_CHECK_OK(CheckArgumentCount(predicate));
  const std::string name = predicate.name == "PodFitsPorts" ? "PodFitsHostPorts" : predicate.name;
  if (IsKnownPredicate(name)) return name;
  if (!predicate.argument) return Invalid(fmt::format("predicate type not found for {}", api::GoQuote(name)));
  if (predicate.argument->service_affinity) {
    arguments.Add(*predicate.argument->service_affinity);
    return "CheckServiceAffinity";
  }
  arguments.Add(*predicate.argument->labels_presence);
  return "CheckNodeLabelPresence";
}

// The same for a priority.
Result<std::string> SelectPriority(const PolicyPriority& priority, PolicyArguments& arguments) {
  BERTH_CHECK_OK(CheckArgumentCount(priority));
  const std::string name = priority.name == "ServiceSpreadingPriority" ? "SelectorSpreadPriority" : priority.name;
  if (IsKnownPriority(name)) return name;
  if (!priority.argument) return Invalid(fmt::format("priority type not found for {}", api::GoQuote(name)));
  if (priority.argument->service_anti_affinity) {
    arguments.Add(*priority.argument->service_anti_affinity);
    return "ServiceAffinity";
  }
  if (priority.argument->label_preference) {
    arguments.Add(*priority.argument->label_preference);
    return "NodeLabel";
  }
  arguments.Set(*priority.argument->requested_to_capacity_ratio);
  return "RequestedToCapacityRatio";
}

Result<std::set<std::string, std::less<>>> SelectPredicates(const Policy& policy, PolicyArguments& arguments) {
  std::set<std::string, std::less<>> names;
  if (policy.predicates) {
    for (const PolicyPredicate& predicate : *policy.predicates) {
      names.insert(BERTH_TRY(SelectPredicate(predicate, arguments)));
    }
  } else {
    names.insert(DefaultPredicates().begin(), DefaultPredicates().end());
  }
  names.insert(MandatoryPredicates().begin(), MandatoryPredicates().end());
  return names;
}

Result<std::map<std::string, int64_t, std::less<>>> SelectPriorities(const Policy& policy, PolicyArguments& arguments) {
  std::map<std::string, int64_t, std::less<>> weights;
  if (!policy.priorities) {
    for (const DefaultPriority& priority : DefaultPriorities()) weights.emplace(priority.name, priority.weight);
    return weights;
  }
  for (const PolicyPriority& priority : *policy.priorities) {
    if (priority.name == "EqualPriority") continue;
    weights[BERTH_TRY(SelectPriority(priority, arguments))] = priority.weight;
  }
  return weights;
}

Result<framework::SchedulerConfiguration> Translate(const Policy& policy, const PolicyOptions& options,
                                                    const framework::FeatureGates& gates) {
  if (std::optional<Error> error = ValidatePolicy(policy, options.compat).Join()) {
    return std::unexpected(std::move(*error));
  }
  PolicyArguments arguments;
  arguments.max_pd_volumes = options.max_pd_volumes;
  const auto predicates = BERTH_TRY(SelectPredicates(policy, arguments));
  const auto priorities = BERTH_TRY(SelectPriorities(policy, arguments));
  if (priorities.contains("InterPodAffinityPriority") && policy.hard_pod_affinity_symmetric_weight != 0) {
    arguments.hard_pod_affinity_weight = policy.hard_pod_affinity_symmetric_weight;
  }
  // Default constraints stood in for SelectorSpread. Whoever asks for explicit constraints alone gets none.
  arguments.spreads_by_default =
      priorities.contains("SelectorSpreadPriority") || !priorities.contains("EvenPodsSpreadPriority");

  ProfileBuilder builder;
  builder.Enable(ExtensionPoint::kQueueSort, "PrioritySort");
  builder.Enable(ExtensionPoint::kPostFilter, "DefaultPreemption");
  builder.Enable(ExtensionPoint::kBind, "DefaultBinder");
  for (const PolicyPluginRow& row : PredicatePlugins()) {
    if (predicates.contains(row.name)) builder.Enable(row.points, row.plugin);
  }
  for (const PolicyPluginRow& row : PriorityPlugins()) {
    const auto it = priorities.find(row.name);
    if (it == priorities.end()) continue;
    builder.Enable(row.points, row.plugin, BERTH_TRY(arguments.WeightOf(row.plugin, it->second)));
  }
  builder.RunAllFilters(policy.always_check_all_predicates);
  return std::move(builder).Build(arguments, policy.extenders, options, gates);
}

}  // namespace

Result<framework::SchedulerConfiguration> TranslatePolicy(const Policy& policy, const PolicyOptions& options,
                                                          const framework::FeatureGates& gates) {
  Result<framework::SchedulerConfiguration> configuration = Translate(policy, options, gates);
  if (!configuration) return Invalid("couldn't create scheduler from policy: " + configuration.error().message);
  return configuration;
}

}  // namespace berth::config
