// SPDX-License-Identifier: Apache-2.0
// From a legacy Policy to the KubeSchedulerConfiguration that comes nearest, and what it cannot say.
//
// The result enables the plugins of the policy, and no others, at every extension point, so it does what the policy did
// and nothing that came later. What has no plugin today is left out or replaced, and a note tells of it.

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/policy/from_policy.h"
#include "framework/configuration.h"

namespace berth::config {

struct ConversionNote {
  bool has_equivalent = false;  // There is one, but it differs.
  std::string subject;          // The entry of the policy.
  std::string reason;
  std::string hint;  // What to do instead; may be empty.
};

struct ConvertedPolicy {
  framework::SchedulerConfiguration configuration;  // As a file would say it: not completed.
  std::vector<ConversionNote> notes;
};

// Fails if the release refuses the policy.
Result<ConvertedPolicy> ConvertPolicy(const Policy& policy, const PolicyOptions& options,
                                      const framework::FeatureGates& gates);

// The file as YAML, the notes as comments at its top. Settings that are not the policy's are left out.
std::string ToYaml(const ConvertedPolicy& converted);

// The text of one note: `no equivalent: SUBJECT: REASON. HINT.`
std::string ToText(const ConversionNote& note);

}  // namespace berth::config
