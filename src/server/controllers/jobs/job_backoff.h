// SPDX-License-Identifier: Apache-2.0
// How long a Job waits before it replaces pods that failed: ten seconds, twice as long with each failure since the last
// success, ten minutes at most.

#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

struct JobBackoff {
  int64_t failures = 0;  // Since the last success.
  Time last;             // When the last of them was; counts if there are any.

  bool operator==(const JobBackoff&) const = default;
};

// When a pod ended, as well as it says.
Time FinishedAt(const Json& pod);

// The backoff after these pods have ended too.
JobBackoff BackoffAfter(const JobBackoff& before, const std::vector<Json>& succeeded, const std::vector<Json>& failed);

// How long it still lasts. Zero: it is over.
Duration RemainingBackoff(const JobBackoff& backoff, Time now);

}  // namespace berth::server
