// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/algorithm.h"

#include <algorithm>

namespace berth::plugins::legacy::v116 {

void NormalizeToMaxPriority(framework::Scores& scores, bool reverse) {
  int64_t largest = 0;
  for (size_t i = 0; i < scores.size(); ++i) largest = std::max(largest, scores[i]);
  if (largest == 0) {
    if (reverse) scores.SetUniform(scores.size(), kMaxPriority);
    return;
  }
  const auto scale = [&](int64_t score) {
    const int64_t scaled = kMaxPriority * score / largest;
    return reverse ? kMaxPriority - scaled : scaled;
  };
  if (scores.form() == framework::Scores::Form::kUniform) {
    scores.SetUniform(scores.size(), scale(scores.uniform_value()));
  } else {
    std::ranges::transform(scores.values(), scores.values().begin(), scale);
  }
}

}  // namespace berth::plugins::legacy::v116
