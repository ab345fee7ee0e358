// SPDX-License-Identifier: Apache-2.0
#include "framework/scores.h"

#include <algorithm>

namespace berth::framework {

void NormalizeToMax(Scores& scores, bool reverse) {
  if (scores.form() == Scores::Form::kUniform) {
    const int64_t score = scores.uniform_value() == 0 ? 0 : kMaxNodeScore;
    scores.SetUniform(scores.size(), reverse ? kMaxNodeScore - score : score);
    return;
  }
  const std::span<int64_t> values = scores.values();
  const int64_t max = values.empty() ? 0 : std::max<int64_t>(0, *std::ranges::max_element(values));
  for (int64_t& value : values) {
    if (max != 0) value = kMaxNodeScore * value / max;
    if (reverse) value = max == 0 ? kMaxNodeScore : kMaxNodeScore - value;
  }
}

}  // namespace berth::framework
