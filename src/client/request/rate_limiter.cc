// SPDX-License-Identifier: Apache-2.0
#include "client/request/rate_limiter.h"

#include <algorithm>
#include <cmath>

namespace berth::client {

namespace {

constexpr double kNanosPerSecond = 1e9;

}  // namespace

RateLimiter::RateLimiter(double qps, int32_t burst) : qps_(qps), burst_(std::max(burst, 1)), tokens_(burst_) {}

void RateLimiter::Leave(uint64_t call) {
  auto found = std::find(waiting_.begin(), waiting_.end(), call);
  if (found != waiting_.end()) waiting_.erase(found);
}

std::optional<uint64_t> RateLimiter::Admit(Time now) {
  if (waiting_.empty()) return std::nullopt;
  if (qps_ > 0) {
    double tokens = TokensAt(now);
    if (tokens < 1) return std::nullopt;
    tokens_ = tokens - 1;
    counted_at_ = now;
  }
  uint64_t call = waiting_.front();
  waiting_.pop_front();
  return call;
}

std::optional<Time> RateLimiter::NextAt(Time now) const {
  if (waiting_.empty()) return std::nullopt;
  double missing = qps_ > 0 ? 1 - TokensAt(now) : 0;
  if (missing <= 0) return now;
  // Rounded up by a nanosecond more than needed, so that the token is there in spite of rounding.
  double nanos = std::min(std::ceil(missing / qps_ * kNanosPerSecond) + 1, 9e18);
  return now + Duration{static_cast<int64_t>(nanos)};
}

double RateLimiter::TokensAt(Time now) const {
  if (!counted_at_) return tokens_;
  double seconds = static_cast<double>((now - *counted_at_).nanos) / kNanosPerSecond;
  return std::min(burst_, tokens_ + std::max(seconds, 0.0) * qps_);
}

}  // namespace berth::client
