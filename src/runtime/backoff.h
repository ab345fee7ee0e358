// SPDX-License-Identifier: Apache-2.0
// Backoff: how long to wait before the next try, longer each time.
//
// The rules are those of Kubernetes' own loops, so that a server sees the load that it knows.

#pragma once

#include <cstdint>

#include "base/random.h"
#include "base/time.h"

namespace berth::runtime {

// Between `base` and `base` times 1 + `factor`. A factor of 0 or less counts as 1.
Duration Jitter(Duration base, double factor, Random& random);

struct Backoff {
  Duration duration = {};  // The next wait, without jitter.
  double factor = 0;       // By which it grows; 0: it does not.
  double jitter = 0;       // The share of itself that chance adds to a wait at most.
  int32_t steps = 0;       // So often it grows.
  Duration cap = {};       // It grows no further than this; 0: there is no limit.

  // The next wait.
  Duration Step(Random& random);
};

// A Backoff that begins anew when it has not been needed for a while.
class BackoffManager {
 public:
  BackoffManager(const Backoff& backoff, Duration reset, uint64_t seed)
      : initial_(backoff), reset_(reset), random_(seed), backoff_(backoff) {}

  // The next wait; the first one again if the last call was more than `reset` before.
  Duration Next(Time now);

 private:
  const Backoff initial_;
  const Duration reset_;
  Random random_;
  Backoff backoff_;
  Time last_{};
};

}  // namespace berth::runtime
