// SPDX-License-Identifier: Apache-2.0
// What `berth convert-policy` prints.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::convert_policy {

struct Conversion {
  std::string yaml;                // A KubeSchedulerConfiguration that `berth scheduler --config` takes.
  std::vector<std::string> notes;  // One line each.
  bool is_equivalent = true;       // Nothing had to be left out.
};

// `release` is what --policy-compat takes. Fails if the release refuses the policy, with its text.
Result<Conversion> Convert(std::string_view policy_text, std::string_view release);

}  // namespace berth::convert_policy
