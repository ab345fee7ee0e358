// SPDX-License-Identifier: Apache-2.0
// Dice: the random choices of a simulation, all from one seed.
//
// A call throws them in one of its arguments at most: in which order arguments are evaluated is up to the compiler, and
// a seed is to be the same run with all of them.

#pragma once

#include <span>

#include "base/random.h"
#include "base/time.h"

namespace berth::sim {

class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}

  // Both ends included.
  int64_t Between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(most - least + 1)));
  }
  bool Percent(int64_t chance) { return Between(0, 99) < chance; }
  Duration UpTo(Duration most) { return Milliseconds(Between(0, most.nanos / 1'000'000)); }
  template <class Range>
  const auto& Pick(const Range& range) {
    return range[static_cast<size_t>(Between(0, static_cast<int64_t>(std::size(range)) - 1))];
  }

 private:
  Random random_;
};

}  // namespace berth::sim
