// SPDX-License-Identifier: Apache-2.0
// JitteredBackoff: how long to wait before the next try, longer each time.

#pragma once

#include <cstdint>

#include "base/random.h"
#include "base/time.h"

namespace berth::client {

// Between `base` and `base` times 1 + `factor`.
Duration Jitter(Duration base, double factor, Random& random);

class JitteredBackoff {
 public:
  // The values of upstream's reflectors.
  static constexpr Duration kInitial = Milliseconds(800);
  static constexpr Duration kMax = Seconds(30);
  static constexpr Duration kReset = Minutes(2);

  explicit JitteredBackoff(uint64_t seed) : random_(seed) {}

  // Doubles from kInitial to kMax, and up to twice that by jitter; from the start again if the last call was more than
  // kReset before.
  Duration Next(Time now);
  // Jittered as well, but neither longer for earlier tries nor for later ones.
  Duration Short() { return Jitter(kInitial, 1.0, random_); }

 private:
  Random random_;
  Duration next_ = kInitial;
  Time last_{};
};

}  // namespace berth::client
