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
  explicit CostTracker(uint64_t limit) : limit_(limit) {}

  uint64_t cost() const { return cost_; }
  bool IsExceededBy(uint64_t more) const { return more > limit_ || cost_ > limit_ - more; }
  void Charge(uint64_t cost) { cost_ += cost; }
  void Refund(uint64_t cost) { cost_ -= cost; }

  // Notes what a part of the expression was evaluated to; cancels the evaluation if it has cost too much by now.
  void Push(int32_t id, const Value& value) {
    stack_.push_back({value, id});
    if (cost_ > limit_) CancelForCost();
  }
  // Forgets the latest value of that part and all that came after it.
  void Drop(int32_t id);
  // Takes the latest values of the parts, the last one first; false if one is not there.
  bool Take(std::span<const int32_t> ids, std::span<Value> values);

 private:
  struct Noted {
    Value value;
    int32_t id;
  };

  uint64_t limit_;
  uint64_t cost_ = 0;
  boost::container::small_vector<Noted, 32> stack_;
};

}  // namespace berth::cel
