// SPDX-License-Identifier: Apache-2.0
// Simulate: one run of the core against a simulated world, all of it from one seed.
//
// For some virtual minutes the world is unreliable; then faults stop and it comes to rest. The checker looks at the
// core after every step, and at all of it after every so many, which the seed says. A run that fails is made again with
// all checks after every step. The same seed gives the same run, so a failure is reported by its seed.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace berth::sim {

struct CoreOutcome {
  std::string failure;  // With the step; empty if all is well.
  uint64_t steps = 0;
  uint64_t effects = 0;
  uint64_t binds = 0;         // Pods bound.
  uint64_t member_binds = 0;  // Asked for: those of groups.
  uint64_t restarts = 0;
  uint64_t copies = 0;       // Of the core, which were compared with it.
  uint64_t evictions = 0;    // Asked for.
  uint64_t effect_hash = 0;  // Of all effects in order.
};

// `trace`, if given, takes a line for each input and effect.
CoreOutcome Simulate(uint64_t seed, const std::function<void(const std::string&)>& trace = nullptr);

}  // namespace berth::sim
