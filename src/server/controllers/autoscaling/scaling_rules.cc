// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/autoscaling/scaling_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace berth::server {
namespace {

constexpr int64_t kReplicasMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kDownWindowSeconds = 300;
constexpr int64_t kWindowSecondsMax = 3600;
constexpr int64_t kPeriodSecondsMax = 1800;
// Without a behavior.
constexpr int64_t kUpFactor = 2;
constexpr int64_t kUpMin = 4;

constexpr Ruling kWithinRange = {.reason = "DesiredWithinRange",
                                 .message = "the desired count is within the acceptable range"};

Duration WindowOf(const Json& rules, int64_t otherwise) {
  return Seconds(std::clamp<int64_t>(rules["stabilizationWindowSeconds"].IntOr(otherwise), 0, kWindowSecondsMax));
}

Json Policy(std::string_view type, int64_t value) {
  return Json{{"type", Json::String(type)}, {"value", Json::Int(value)}, {"periodSeconds", Json::Int(15)}};
}

// Those that upstream adds where a behavior says nothing.
Json PoliciesOf(const Json& rules, int64_t sign) {
  if (!rules["policies"].empty()) return rules["policies"];
  Json policies = Json::MakeList({Policy("Percent", 100)});
  if (sign > 0) policies.Append(Policy("Pods", kUpMin));
  return policies;
}

Duration PeriodOf(const Json& policy) {
  return Seconds(std::clamp<int64_t>(policy["periodSeconds"].IntOr(0), 0, kPeriodSecondsMax));
}

Ruling Limited(int64_t replicas, std::string_view reason, std::string_view message) {
  return {.replicas = replicas, .is_limited = true, .reason = reason, .message = message};
}

}  // namespace

void ScalingHistory::Begin(int64_t current, Time now) {
  if (proposals_.empty()) proposals_.push_back({.replicas = current, .at = now});
}

Ruling ScalingHistory::Stabilize(const Json& behavior, int64_t current, int64_t proposed, Time now) {
  const Duration up_window = behavior.is_null() ? Duration{} : WindowOf(behavior["scaleUp"], 0);
  const Duration down_window = WindowOf(behavior["scaleDown"], kDownWindowSeconds);
  // Without a behavior the end of the window belongs to it.
  const auto is_recent = [&](const Proposal& each, Duration window) {
    return behavior.is_null() ? now - each.at <= window : now - each.at < window;
  };
  int64_t lowest = proposed;
  int64_t highest = proposed;
  for (const Proposal& each : proposals_) {
    if (is_recent(each, up_window)) lowest = std::min(lowest, each.replicas);
    if (is_recent(each, down_window)) highest = std::max(highest, each.replicas);
  }
  const int64_t stable = behavior.is_null() ? highest : std::min(std::max(current, lowest), highest);
  std::erase_if(proposals_, [&](const Proposal& each) { return now - each.at > std::max(up_window, down_window); });
  proposals_.push_back({.replicas = proposed, .at = now});
  if (stable == proposed) {
    return {.replicas = stable, .reason = "ReadyForNewScale", .message = "recommended size matches current size"};
  }
  if (!behavior.is_null() && proposed >= current) {
    return Limited(stable, "ScaleUpStabilized",
                   "recent recommendations were lower than current one, applying the lowest recent recommendation");
  }
  return Limited(stable, "ScaleDownStabilized",
                 "recent recommendations were higher than current one, applying the highest recent recommendation");
}

Ruling ScalingHistory::Limit(const Json& spec, int64_t current, int64_t proposed, Time now) const {
  const Json& behavior = spec["behavior"];
  const int64_t least = spec["minReplicas"].IntOr(1);
  const int64_t most = spec["maxReplicas"].IntOr(0);
  if (behavior.is_null() ? proposed > least : proposed > current) {
    const int64_t bound = behavior.is_null() ? std::max(kUpFactor * current, kUpMin)
                                             : std::max(Bound(behavior["scaleUp"], current, 1, now), current);
    if (proposed > std::min(bound, most)) {
      if (bound < most) {
        return Limited(bound, "ScaleUpLimit",
                       "the desired replica count is increasing faster than the maximum scale rate");
      }
      return Limited(most, "TooManyReplicas", "the desired replica count is more than the maximum replica count");
    }
  } else if (behavior.is_null() ? proposed < least : proposed < current) {
    const int64_t bound =
        behavior.is_null() ? least : std::min(Bound(behavior["scaleDown"], current, -1, now), current);
    if (proposed < std::max(bound, least)) {
      if (bound > least) {
        return Limited(bound, "ScaleDownLimit",
                       "the desired replica count is decreasing faster than the maximum scale rate");
      }
      return Limited(least, "TooFewReplicas", "the desired replica count is less than the minimum replica count");
    }
  }
  Ruling ruling = kWithinRange;
  ruling.replicas = proposed;
  return ruling;
}

int64_t ScalingHistory::Bound(const Json& rules, int64_t current, int64_t sign, Time now) const {
  const std::string& select = rules["selectPolicy"].text();
  if (select == "Disabled") return current;
  std::vector<int64_t> bounds;
  const Json policies = PoliciesOf(rules, sign);
  for (const Json& policy : policies.items()) {
    const int64_t start = current - ChangeSince(now - PeriodOf(policy));
    const int64_t value = sign * std::clamp<int64_t>(policy["value"].IntOr(0), 0, kReplicasMax);
    if (policy["type"].text() == "Percent") {
      const double bound = static_cast<double>(start) * (1 + static_cast<double>(value) / 100);
      // Rounded so that there is always a change upwards.
      const double whole = sign > 0 ? std::ceil(bound) : std::trunc(bound);
      bounds.push_back(static_cast<int64_t>(std::clamp<double>(whole, -kReplicasMax, kReplicasMax)));
    } else {
      bounds.push_back(start + value);
    }
  }
  // The policy that allows the smallest change, or the greatest.
  const bool takes_lowest = (select == "Min") == (sign > 0);
  return takes_lowest ? *std::ranges::min_element(bounds) : *std::ranges::max_element(bounds);
}

int64_t ScalingHistory::ChangeSince(Time start) const {
  int64_t change = 0;
  for (const Step& step : steps_) change += step.at > start ? step.change : 0;
  return change;
}

void ScalingHistory::Record(const Json& behavior, int64_t before, int64_t after, Time now) {
  std::erase_if(steps_, [&](const Step& step) { return now - step.at > Seconds(kPeriodSecondsMax); });
  if (!behavior.is_null()) steps_.push_back({.change = after - before, .at = now});
}

}  // namespace berth::server
