// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/failed_pod_backoff.h"

#include <algorithm>

namespace berth::server {
namespace {

constexpr Duration kFirst = Seconds(1);
constexpr Duration kMost = Minutes(15);

}  // namespace

std::optional<Duration> FailedPodBackoff::Wait(const std::string& place, Time now) {
  if (places_.size() >= kPlacesMax && !places_.contains(place)) places_.clear();
  const auto [at, is_new] = places_.try_emplace(place);
  Last& last = at->second;
  const Duration passed = now - last.when;
  if (!is_new && passed < last.wait) return last.wait - passed;
  last.wait = is_new || passed > kMost * 2 ? kFirst : std::min(last.wait * 2, kMost);
  last.when = now;
  return std::nullopt;
}

}  // namespace berth::server
