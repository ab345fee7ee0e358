// SPDX-License-Identifier: Apache-2.0
#include "runtime/backoff.h"

#include <algorithm>
#include <limits>

namespace berth::runtime {
namespace {

// Saturates, as times do.
Duration Scaled(Duration duration, double factor) {
  const double nanos = static_cast<double>(duration.nanos) * factor;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  return {nanos >= static_cast<double>(kMax) ? kMax : static_cast<int64_t>(nanos)};
}

}  // namespace

Duration Jitter(Duration base, double factor, Random& random) {
  constexpr uint64_t kSteps = uint64_t{1} << 53;
  const double share = static_cast<double>(random.Below(kSteps)) / static_cast<double>(kSteps);
  return base + Scaled(base, share * (factor > 0 ? factor : 1));
}

Duration Backoff::Step(Random& random) {
  const Duration wait = jitter > 0 ? Jitter(duration, jitter, random) : duration;
  if (steps < 1) return wait;
  --steps;
  if (factor == 0) return wait;
  duration = Scaled(duration, factor);
  if (cap > Duration{} && duration > cap) {
    duration = cap;
    steps = 0;
  }
  return wait;
}

Duration BackoffManager::Next(Time now) {
  if (now - last_ > reset_) backoff_ = initial_;
  last_ = now;
  return backoff_.Step(random_);
}

}  // namespace berth::runtime
