// SPDX-License-Identifier: Apache-2.0
#include "config/policy/policy_validation.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "api/parts/selector.h"
#include "config/validate.h"

namespace berth::config {

using framework::FieldErrors;

namespace {

constexpr int64_t kMaxCustomScore = 10;
constexpr int64_t kMaxPolicyWeight = std::numeric_limits<int64_t>::max() / kMaxCustomScore;

// Go prints a pointer here.
constexpr std::string_view kPointer = "0xPTR";

using PrioritiesByType = std::map<std::string_view, const PolicyPriority*>;

void CheckSameWeight(std::string_view type, const PolicyPriority& priority, PrioritiesByType& seen,
                     FieldErrors& errors) {
  const auto [existing, is_first] = seen.try_emplace(type, &priority);
  if (!is_first && existing->second->weight != priority.weight) {
    return errors.Add(fmt::format("{}  priority {} has a different weight with {}", type, api::GoQuote(priority.name),
                                  api::GoQuote(existing->second->name)));
  }
  existing->second = &priority;
}

void CheckCustomPriority(const PolicyPriority& priority, PrioritiesByType& seen, FieldErrors& errors) {
  if (!priority.argument) return;
  if (priority.argument->label_preference) return CheckSameWeight("LabelPreference", priority, seen, errors);
  if (priority.argument->service_anti_affinity) return CheckSameWeight("ServiceAntiAffinity", priority, seen, errors);
  if (!priority.argument->requested_to_capacity_ratio) {
    return errors.Add(fmt::format("no priority arguments set for priority {}", priority.name));
  }
  constexpr std::string_view kType = "RequestedToCapacityRatio";
  const auto [existing, is_first] = seen.try_emplace(kType, &priority);
  if (is_first) return;
  errors.Add(fmt::format("priority {} redeclares custom priority \"{}\", from: {}", api::GoQuote(priority.name), kType,
                         api::GoQuote(existing->second->name)));
}

// Lengths were told in characters.
std::string WordsOfTheEra(std::string problem) {
  constexpr std::string_view kToday = " bytes";
  if (problem.ends_with(kToday)) problem.replace(problem.size() - kToday.size(), kToday.size(), " characters");
  return problem;
}

void CheckManagedResource(const std::string& name, const std::string& path, PolicyCompat compat, FieldErrors& errors) {
  // v1.22 prints a named string type bare, v1.21 a plain string in quotes.
  const std::string value = compat == PolicyCompat::kV122 ? name : api::GoQuote(name);
  const std::vector<std::string> problems = api::ValidateQualifiedName(name);
  for (const std::string& problem : problems) errors.Invalid(path, value, WordsOfTheEra(problem));
  if (!problems.empty() || IsExtendedResourceName(name)) return;
  const std::string prefix = compat == PolicyCompat::kV122 ? "" : name + " ";
  errors.Invalid(path, api::GoQuote(name), prefix + "is an invalid extended resource name");
}

}  // namespace

FieldErrors ValidatePolicy(const Policy& policy, PolicyCompat compat) {
  FieldErrors errors;
  PrioritiesByType seen;
  if (policy.priorities) {
    for (const PolicyPriority& priority : *policy.priorities) {
      if (priority.weight <= 0 || priority.weight >= kMaxPolicyWeight) {
        errors.Add(
            fmt::format("priority {} should have a positive weight applied to it or it has overflown", priority.name));
      }
      CheckCustomPriority(priority, seen, errors);
    }
  }
  ValidateExtenders(policy.extenders, errors,
                    [&](const std::string& name, const std::string& path, FieldErrors& found) {
                      CheckManagedResource(name, path, compat, found);
                    });
  const int32_t weight = policy.hard_pod_affinity_symmetric_weight;
  if (weight < 0 || weight > 100) {
    errors.Invalid("hardPodAffinitySymmetricWeight", weight, "not in valid range [0-100]");
  }
  return errors;
}

Result<void> CheckArgumentCount(const PolicyPredicate& predicate) {
  if (!predicate.argument) return {};
  const int count = predicate.argument->service_affinity.has_value() + predicate.argument->labels_presence.has_value();
  if (count == 1) return {};
  return Invalid(fmt::format("exactly 1 predicate argument is required, numArgs: {}, predicate {{{} {}}}", count,
                             predicate.name, kPointer));
}

Result<void> CheckArgumentCount(const PolicyPriority& priority) {
  if (!priority.argument) return {};
  const PriorityArgument& argument = *priority.argument;
  const int count = argument.service_anti_affinity.has_value() + argument.label_preference.has_value() +
                    argument.requested_to_capacity_ratio.has_value();
  if (count == 1) return {};
  return Invalid(fmt::format("exactly 1 priority argument is required, numArgs: {}, priority {{{} {} {}}}", count,
                             priority.name, priority.weight, kPointer));
}

}  // namespace berth::config
