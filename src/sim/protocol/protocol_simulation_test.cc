// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/protocol_simulation.h"

#include <gtest/gtest.h>

namespace berth::sim {
namespace {

#ifdef BERTH_CHECKS
constexpr uint64_t kProtocolSeeds = 10;  // Debug and sanitizer builds are many times slower.
#else
constexpr uint64_t kProtocolSeeds = 200;
#endif

TEST(ProtocolSimulation, InvariantsHoldForManySeeds) {
  uint64_t bindings = 0;
  uint64_t member_bindings = 0;
  uint64_t instances = 0;
  uint64_t leaders = 0;
  for (uint64_t seed = 1; seed <= kProtocolSeeds; ++seed) {
    const ProtocolOutcome outcome = SimulateProtocol(seed);
    EXPECT_EQ(outcome.failure, "") << "replay: berth-sim --protocol --seed " << seed << " --trace";
    bindings += outcome.bindings;
    member_bindings += outcome.member_bindings;
    instances += outcome.instances;
    leaders += outcome.leaders;
  }
  // A world in which nothing happens would prove nothing.
  EXPECT_GT(bindings, 8 * kProtocolSeeds);
  EXPECT_GT(member_bindings, 2 * kProtocolSeeds);
  EXPECT_GT(instances, 2 * kProtocolSeeds);
  EXPECT_GT(leaders, kProtocolSeeds / 2);
}

TEST(ProtocolSimulation, SameSeedGivesTheSameRequests) {
  for (uint64_t seed = 1; seed <= kProtocolSeeds / 5; ++seed) {
    const ProtocolOutcome first = SimulateProtocol(seed);
    const ProtocolOutcome second = SimulateProtocol(seed);

    EXPECT_EQ(first.request_hash, second.request_hash) << "seed " << seed;
    EXPECT_EQ(first.requests, second.requests) << "seed " << seed;
  }
}

TEST(ProtocolSimulation, SeedsDiffer) { EXPECT_NE(SimulateProtocol(1).request_hash, SimulateProtocol(2).request_hash); }

}  // namespace
}  // namespace berth::sim
