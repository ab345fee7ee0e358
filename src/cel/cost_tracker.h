// SPDX-License-Identifier: Apache-2.0
// CostTracker: counts what an evaluation costs, as cel-go does it.
//
// cel-go computes the cost of a call from its arguments, which it takes from a stack of everything that was evaluated
// so far, found by the ids of expressions. When an argument was not evaluated, because one before it failed, the call
// costs nothing, or what arguments of an earlier round of a loop cost. All of that shows in the recorded costs, so the
// stack is here as it is there.

#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>

#include "cel/arena.h"
#include "cel/value.h"

namespace berth::cel {

class CostTracker {
 public:
  // Parts have ids below `id_end`.
  CostTracker(uint64_t limit, int32_t id_end) : limit_(limit), latest_(static_cast<size_t>(id_end), kNone) {}

  uint64_t cost() const { return cost_; }
  bool IsExceededBy(uint64_t more) const { return more > limit_ || cost_ > limit_ - more; }
  void Charge(uint64_t cost) { cost_ += cost; }
  void Refund(uint64_t cost) { cost_ -= cost; }

  // Notes what a part of the expression was evaluated to; cancels the evaluation if it has cost too much by now.
  void Push(int32_t id, const Value& value) {
    int32_t& latest = latest_[static_cast<size_t>(id)];
    stack_.push_back({value, id, latest});
    latest = static_cast<int32_t>(stack_.size()) - 1;
    if (cost_ > limit_) CancelForCost();
  }
  // Forgets the latest value of that part and all that came after it.
  void Drop(int32_t id);
  // Takes the latest values of the parts, the last one first; false if one is not there.
  bool Take(std::span<const int32_t> ids, std::span<Value> values);

 private:
  static constexpr int32_t kNone = -1;
  struct Noted {
    Value value;
    int32_t id;
    int32_t before;  // Where the value before of this part is.
  };

  void ShrinkTo(int32_t size);

  uint64_t limit_;
  uint64_t cost_ = 0;
  boost::container::small_vector<Noted, 32> stack_;
  boost::container::small_vector<int32_t, 64> latest_;  // By id: where the latest value of the part is, or kNone.
};

}  // namespace berth::cel
