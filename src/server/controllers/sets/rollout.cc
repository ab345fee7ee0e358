// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/rollout.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "server/controllers/controller.h"

namespace berth::server {
namespace {

int64_t Missing(const RolloutSet& set) { return std::max<int64_t>(0, set.wanted - set.available); }

int64_t NextNewest(const RolloutPlan& plan, const std::vector<RolloutSet>& sets, size_t newest) {
  int64_t total = 0;
  bool has_old = false;
  for (size_t i = 0; i < sets.size(); ++i) {
    total += sets[i].wanted;
    has_old = has_old || (i != newest && std::max(sets[i].wanted, sets[i].present) > 0);
  }
  const int64_t present = sets[newest].wanted;
  if (present >= plan.replicas) return plan.replicas;
  if (plan.recreates && has_old) return present;
  return present + std::clamp<int64_t>(plan.replicas + plan.surge - total, 0, plan.replicas - present);
}

// Whether the set has all pods that the Deployment wants.
bool IsSaturated(const RolloutPlan& plan, const RolloutSet& set) {
  return set.wanted == plan.replicas && set.replicas_then == plan.replicas && set.available == plan.replicas;
}

// How much the set would grow if all grew alike.
int64_t Growth(const RolloutPlan& plan, const RolloutSet& set, int64_t present) {
  if (plan.replicas == 0) return -set.wanted;
  const int64_t before = set.most_then > 0 ? set.most_then : present;
  if (before == 0) return 0;
  const int64_t most = std::min<int64_t>(plan.most(), INT32_MAX);
  return (2 * set.wanted * most + before) / (2 * before) - set.wanted;  // Rounded.
}

// Spreads what is to be added or taken away over the sets in use, by their sizes. What rounding leaves goes to the
// largest, of equal ones to the newest if they grow and to the oldest if they shrink.
void Share(const RolloutPlan& plan, const std::vector<RolloutSet>& sets, std::vector<int64_t>& sizes) {
  std::vector<size_t> order;
  int64_t total = 0;
  int64_t present = 0;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sets[i].wanted > 0) order.push_back(i);
    total += sets[i].wanted;
    present += sets[i].present;
  }
  const int64_t missing = (plan.replicas > 0 ? plan.most() : 0) - total;
  if (missing == 0) return;
  if (missing > 0) std::ranges::reverse(order);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](size_t i) { return sets[i].wanted; });
  int64_t left = missing;
  for (const size_t i : order) {
    const int64_t growth = Growth(plan, sets[i], present);
    const int64_t share = missing > 0 ? std::min(growth, left) : std::max(growth, left);
    sizes[i] += share;
    left -= share;
  }
  sizes[order.front()] = std::max<int64_t>(0, sizes[order.front()] + left);
}

}  // namespace

RolloutPlan PlanOf(const Json& spec) {
  RolloutPlan plan{.replicas = spec["replicas"].IntOr(1)};
  if (spec["strategy"]["type"].text() == "Recreate") {
    plan.recreates = true;
    return plan;
  }
  const Json& rolling = spec["strategy"]["rollingUpdate"];
  plan.surge = Scaled(rolling["maxSurge"], plan.replicas, true);
  plan.unavailable = std::min(plan.replicas, Scaled(rolling["maxUnavailable"], plan.replicas, false));
  // Both may come out as none, and then nothing could ever move.
  if (plan.surge == 0 && plan.unavailable == 0) plan.unavailable = 1;
  return plan;
}

std::vector<int64_t> NextSizes(const RolloutPlan& plan, const std::vector<RolloutSet>& sets, size_t newest) {
  if (plan.recreates) {
    std::vector<int64_t> sizes(sets.size(), 0);
    sizes[newest] = NextNewest(plan, sets, newest);
    return sizes;
  }
  std::vector<int64_t> sizes;
  int64_t total = 0;
  int64_t available = 0;
  for (const RolloutSet& set : sets) {
    sizes.push_back(set.wanted);
    total += set.wanted;
    available += set.wanted - Missing(set);
  }
  const int64_t needed = plan.replicas - plan.unavailable;
  // What is known of the pods of old sets may be late, so even those that seem to be broken only go as far as the
  // others are enough.
  int64_t can_go = std::max<int64_t>(0, total - needed - Missing(sets[newest]));
  const auto take = [&](size_t i, int64_t count) {
    const int64_t taken = std::clamp<int64_t>(count, 0, std::min(sizes[i], can_go));
    sizes[i] -= taken;
    can_go -= taken;
    return taken;
  };
  for (size_t i = 0; i < sets.size(); ++i) {
    if (i != newest) take(i, Missing(sets[i]));
  }
  int64_t spare = available - needed;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (i != newest) spare -= take(i, spare);
  }
  sizes[newest] = NextNewest(plan, sets, newest);
  return sizes;
}

std::vector<int64_t> ScaledSizes(const RolloutPlan& plan, const std::vector<RolloutSet>& sets,
                                 std::optional<size_t> newest) {
  std::vector<int64_t> sizes;
  for (const RolloutSet& set : sets) sizes.push_back(set.wanted);
  if (sizes.empty()) return sizes;
  const auto in_use = [](int64_t size) { return size > 0; };
  if (std::ranges::count_if(sizes, in_use) <= 1) {
    const auto only = std::ranges::find_if(sizes, in_use);
    const size_t latest = newest.value_or(sizes.size() - 1);
    sizes[only == sizes.end() ? latest : static_cast<size_t>(only - sizes.begin())] = plan.replicas;
    return sizes;
  }
  if (newest && IsSaturated(plan, sets[*newest])) {
    for (size_t i = 0; i < sizes.size(); ++i) sizes[i] = i == *newest ? sizes[i] : 0;
    return sizes;
  }
  if (!plan.recreates) Share(plan, sets, sizes);
  return sizes;
}

}  // namespace berth::server
