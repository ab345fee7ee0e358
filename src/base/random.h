// SPDX-License-Identifier: Apache-2.0
// Random: a small seeded generator of numbers (xoshiro256**).
//
// The sequence depends only on the seed, on every platform and compiler, so decisions can be replayed. It is not for
// secrets.

#pragma once

#include <array>
#include <cstdint>

namespace berth {

class Random {
 public:
  explicit Random(uint64_t seed);

  uint64_t Next();

  // Uniform in [0, bound), without bias. REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound);

 private:
  std::array<uint64_t, 4> state_;
};

}  // namespace berth
