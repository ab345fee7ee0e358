// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sim/core/simulation.h"

namespace berth::sim {
namespace {

#ifdef BERTH_CHECKS
constexpr uint64_t kSeeds = 10;  // Debug and sanitizer builds are many times slower.
#else
constexpr uint64_t kSeeds = 200;
#endif

TEST(Simulation, InvariantsHoldForManySeeds) {
  uint64_t binds = 0;
  uint64_t evictions = 0;
  uint64_t member_binds = 0;
  uint64_t restarts = 0;
  uint64_t copies = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const CoreOutcome outcome = Simulate(seed);
    EXPECT_EQ(outcome.failure, "") << "replay: berth-sim --seed " << seed;
    binds += outcome.binds;
    evictions += outcome.evictions;
    member_binds += outcome.member_binds;
    restarts += outcome.restarts;
    copies += outcome.copies;
  }
  // A world in which nothing happens would prove nothing.
  EXPECT_GT(binds, 10 * kSeeds);
  EXPECT_GT(evictions, kSeeds);
  EXPECT_GT(member_binds, kSeeds);
  EXPECT_GT(copies, kSeeds);
  if (kSeeds >= 100) {
    EXPECT_GT(restarts, kSeeds / 5);  // They are rare.
  }
}

TEST(Simulation, SameSeedGivesTheSameEffects) {
  for (uint64_t seed = 1; seed <= kSeeds / 5; ++seed) {
    const CoreOutcome first = Simulate(seed);
    const CoreOutcome second = Simulate(seed);

    EXPECT_EQ(first.effect_hash, second.effect_hash) << "seed " << seed;
    EXPECT_EQ(first.steps, second.steps) << "seed " << seed;
  }
}

TEST(Simulation, SeedsDiffer) { EXPECT_NE(Simulate(1).effect_hash, Simulate(2).effect_hash); }

}  // namespace
}  // namespace berth::sim
