// SPDX-License-Identifier: Apache-2.0
#include "config/policy/policy_validation_v116.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include <boost/algorithm/string/replace.hpp>

#include "api/parts/selector.h"
#include "base/error_counts.h"
#include "config/validate.h"

namespace berth::config {
namespace {

constexpr int64_t kMaxWeightV116 = std::numeric_limits<int64_t>::max() / kMaxPriorityV116;
constexpr int64_t kMaxUtilization = 100;

// The only words of the checks of names that have changed since.
constexpr std::string_view kSubdomainToday = "a lowercase RFC 1123 subdomain";
constexpr std::string_view kSubdomainV116 = "a DNS-1123 subdomain";

using ErrorTexts = std::vector<std::string>;

void CheckResourceNameV116(const std::string& name, std::set<std::string>& seen, ErrorTexts& errors) {
  ErrorTexts problems = api::ValidateQualifiedName(name);
  for (std::string& problem : problems) boost::replace_first(problem, kSubdomainToday, kSubdomainV116);
  errors.insert(errors.end(), problems.begin(), problems.end());
  if (problems.empty() && !IsExtendedResourceName(name)) {
    errors.push_back(name + " is an invalid extended resource name");
  }
  if (!seen.insert(name).second) errors.push_back("Duplicate extender managed resource name " + name);
}

void CheckExtendersV116(const std::vector<framework::ExtenderConfiguration>& extenders, ErrorTexts& errors) {
  int binders = 0;
  std::set<std::string> managed;
  for (const framework::ExtenderConfiguration& extender : extenders) {
    if (!extender.prioritize_verb.empty() && extender.weight <= 0) {
      errors.push_back(
          fmt::format("Priority for extender {} should have a positive weight applied to it", extender.url_prefix));
    }
    if (!extender.bind_verb.empty()) ++binders;
    for (const framework::ExtenderManagedResource& resource : extender.managed_resources) {
      CheckResourceNameV116(resource.name, managed, errors);
    }
  }
  if (binders > 1) errors.push_back(fmt::format("Only one extender can implement bind, found {}", binders));
}

}  // namespace

Result<void> ValidatePolicyV116(const Policy& policy) {
  ErrorTexts errors;
  if (policy.priorities) {
    for (const PolicyPriority& priority : *policy.priorities) {
      if (priority.weight > 0 && priority.weight < kMaxWeightV116) continue;
      errors.push_back(
          fmt::format("Priority {} should have a positive weight applied to it or it has overflown", priority.name));
    }
  }
  CheckExtendersV116(policy.extenders, errors);
  if (!errors.empty()) return Invalid(JoinErrors(errors));
  return {};
}

std::string ShapeErrorV116(std::span<const PolicyShapePoint> shape) {
  if (shape.empty()) return "at least one point must be specified";
  for (size_t i = 1; i < shape.size(); ++i) {
    if (shape[i - 1].utilization < shape[i].utilization) continue;
    return fmt::format("utilization values must be sorted. Utilization[{}]=={} >= Utilization[{}]=={}", i - 1,
                       shape[i - 1].utilization, i, shape[i].utilization);
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto& [utilization, score] = shape[i];
    if (utilization < 0) {
      return fmt::format("utilization values must not be less than 0. Utilization[{}]=={}", i, utilization);
    }
    if (utilization > kMaxUtilization) {
      return fmt::format("utilization values must not be greater than {}. Utilization[{}]=={}", kMaxUtilization, i,
                         utilization);
    }
    if (score < 0) return fmt::format("score values must not be less than 0. Score[{}]=={}", i, score);
    if (score > kMaxPriorityV116) {
      return fmt::format("score valuses not be greater than {}. Score[{}]=={}", kMaxPriorityV116, i, score);
    }
  }
  return {};
}

}  // namespace berth::config
