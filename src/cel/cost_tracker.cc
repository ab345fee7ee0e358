// SPDX-License-Identifier: Apache-2.0
#include "cel/cost_tracker.h"

namespace berth::cel {

void CostTracker::ShrinkTo(int32_t size) {
  while (static_cast<int32_t>(stack_.size()) > size) {
    latest_[static_cast<size_t>(stack_.back().id)] = stack_.back().before;
    stack_.pop_back();
  }
}

void CostTracker::Drop(int32_t id) {
  const int32_t at = latest_[static_cast<size_t>(id)];
  if (at != kNone) ShrinkTo(at);
}

bool CostTracker::Take(std::span<const int32_t> ids, std::span<Value> values) {
  for (size_t arg = ids.size(); arg-- > 0;) {
    const int32_t at = latest_[static_cast<size_t>(ids[arg])];
    if (at == kNone) return false;
    values[arg] = stack_[static_cast<size_t>(at)].value;
    ShrinkTo(at);
  }
  return true;
}

}  // namespace berth::cel
