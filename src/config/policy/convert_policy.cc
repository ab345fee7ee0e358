// SPDX-License-Identifier: Apache-2.0
#include "config/policy/convert_policy.h"

#include "config/policy/convert_entries.h"
#include "config/policy/convert_plugins.h"
#include "config/policy/convert_v116.h"
#include "config/policy/policy_plugins.h"

namespace berth::config {
namespace {

// The policy with its lists written out.
Policy WithDefaults(Policy policy) {
  if (!policy.predicates) {
    policy.predicates.emplace();
    for (const std::string_view name : DefaultPredicates()) policy.predicates->push_back({std::string(name), {}});
  }
  if (!policy.priorities) {
    policy.priorities.emplace();
    for (const DefaultPriority& priority : DefaultPriorities()) {
      policy.priorities->push_back({std::string(priority.name), priority.weight, {}});
    }
  }
  return policy;
}

// What the release makes of the policy, in the words of v1.22.
Result<Policy> AsV122(const Policy& policy, const PolicyOptions& options, const framework::FeatureGates& gates,
                      std::vector<ConversionNote>& notes) {
  BERTH_TRY(FromPolicy(policy, options, gates));  // Only to hear what is wrong with it.
  if (options.compat != PolicyCompat::kV116) return WithDefaults(policy);
  return Modernize(BERTH_TRY(AlgorithmOfPolicyV116(policy, options)), notes);
}

}  // namespace

Result<ConvertedPolicy> ConvertPolicy(const Policy& policy, const PolicyOptions& options,
                                      const framework::FeatureGates& gates) {
  ConvertedPolicy converted;
  Policy convertible = BERTH_TRY(AsV122(policy, options, gates, converted.notes));
  LeaveOutForeignEntries(convertible, converted.notes);
  PolicyOptions modern = options;
  modern.compat = PolicyCompat::kV122;
  converted.configuration = BERTH_TRY(FromPolicy(convertible, modern, gates));
  ReplaceLegacyPlugins(converted.configuration, gates, converted.notes);
  return converted;
}

}  // namespace berth::config
