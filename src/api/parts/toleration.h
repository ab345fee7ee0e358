// SPDX-License-Identifier: Apache-2.0
// Taints and tolerations.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule, PreferNoSchedule, NoExecute.

  bool operator==(const Taint&) const = default;
};

struct Toleration {
  std::string key;
  std::string op;  // Empty (Equal), Equal, Exists, Lt, Gt; anything else tolerates nothing.
  std::string value;
  std::string effect;  // Empty matches every effect.

  bool operator==(const Toleration&) const = default;
};

// Whether `toleration` tolerates `taint`. The numeric operators Lt and Gt count only where `comparison_operators` is
// set (the feature gate TaintTolerationComparisonOperators).
bool Tolerates(const Toleration& toleration, const Taint& taint, bool comparison_operators);

// Whether some toleration of `tolerations` tolerates `taint`.
bool Tolerates(const std::vector<Toleration>& tolerations, const Taint& taint, bool comparison_operators);

}  // namespace berth::api
