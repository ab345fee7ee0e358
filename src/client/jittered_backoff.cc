// SPDX-License-Identifier: Apache-2.0

#include "client/jittered_backoff.h"

#include <algorithm>

namespace berth::client {

Duration Jitter(Duration base, double factor, Random& random) {
  constexpr uint64_t kSteps = uint64_t{1} << 53;
  const double share = static_cast<double>(random.Below(kSteps)) / static_cast<double>(kSteps);
  return base + Duration{static_cast<int64_t>(share * factor * static_cast<double>(base.nanos))};
}

Duration JitteredBackoff::Next(Time now) {
  if (now - last_ > kReset) next_ = kInitial;
  last_ = now;
  const Duration delay = Jitter(next_, 1.0, random_);
  next_ = std::min(next_ + next_, kMax);
  return delay;
}

}  // namespace berth::client
