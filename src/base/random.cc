// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <bit>

#include "base/assert.h"

namespace berth {

__extension__ typedef unsigned __int128 Uint128;

// The state is filled by splitmix64, so that similar seeds give unrelated sequences and no state is all zero.
Random::Random(uint64_t seed) {
  for (uint64_t& word : state_) {
    seed += 0x9E37'79B9'7F4A'7C15;
    uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58'476D'1CE4'E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D0'49BB'1331'11EB;
    word = mixed ^ (mixed >> 31);
  }
}

uint64_t Random::Next() {
  auto& [a, b, c, d] = state_;
  const uint64_t result = std::rotl(b * 5, 7) * 9;
  const uint64_t shifted = b << 17;
  c ^= a;
  d ^= b;
  b ^= c;
  a ^= d;
  c ^= shifted;
  d = std::rotl(d, 45);
  return result;
}

// The high half of number * bound is uniform once the few numbers that would favour some results are drawn again.
uint64_t Random::Below(uint64_t bound) {
  BERTH_ASSERT(bound > 0);
  const uint64_t rejected = (0 - bound) % bound;
  for (;;) {
    const Uint128 product = Uint128{Next()} * bound;
    if (static_cast<uint64_t>(product) >= rejected) return static_cast<uint64_t>(product >> 64);
  }
}

}  // namespace berth
