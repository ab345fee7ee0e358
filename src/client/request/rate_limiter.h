// SPDX-License-Identifier: Apache-2.0
// RateLimiter: a token bucket and the queue of calls that wait for its tokens, first come first served.
//
// The bucket holds `burst` tokens when it is full and gains `qps` per second. It is told the time and owns no clock:
// its owner admits calls whenever one joins and again at NextAt.

#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/time.h"

namespace berth::client {

class RateLimiter {
 public:
  // Not positive `qps`: no limit.
  RateLimiter(double qps, int32_t burst);

  void Join(uint64_t call) { waiting_.push_back(call); }
  void Leave(uint64_t call);

  // Takes the first call out of the queue and pays for it, or nothing if it has to wait.
  std::optional<uint64_t> Admit(Time now);
  // When the first call of the queue can be admitted; nothing if none waits.
  std::optional<Time> NextAt(Time now) const;

 private:
  double TokensAt(Time now) const;

  const double qps_;
  const double burst_;
  double tokens_;
  std::optional<Time> counted_at_;  // When there were `tokens_`.
  std::deque<uint64_t> waiting_;
};

}  // namespace berth::client
