// SPDX-License-Identifier: Apache-2.0
#include "cel/cost_tracker.h"

namespace berth::cel {

void CostTracker::Drop(int32_t id) {
  for (size_t i = stack_.size(); i-- > 0;) {
    if (stack_[i].id != id) continue;
    stack_.resize(i);
    return;
  }
}

bool CostTracker::Take(std::span<const int32_t> ids, std::span<Value> values) {
  for (size_t arg = ids.size(); arg-- > 0;) {
    size_t i = stack_.size();
    while (i > 0 && stack_[i - 1].id != ids[arg]) --i;
    if (i == 0) return false;
    values[arg] = stack_[i - 1].value;
    stack_.resize(i - 1);
  }
  return true;
}

}  // namespace berth::cel
