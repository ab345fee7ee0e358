// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/rollout.h"

#include <algorithm>

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

}  // namespace

RolloutPlan PlanOf(const Json& spec) {
  RolloutPlan plan{.replicas = spec["replicas"].IntOr(1)};
  if (spec["strategy"]["type"].text() == "Recreate") {
    plan.unavailable = plan.replicas;
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

std::vector<int64_t> PausedSizes(const RolloutPlan& plan, const std::vector<RolloutSet>& sets) {
  std::vector<int64_t> sizes;
  for (const RolloutSet& set : sets) sizes.push_back(set.wanted);
  const auto in_use = std::ranges::count_if(sizes, [](int64_t size) { return size > 0; });
  // In the middle of a rollout nobody can say which set should grow.
  if (sizes.empty() || in_use > 1) return sizes;
  const auto only = in_use == 0 ? sizes.end() - 1 : std::ranges::find_if(sizes, [](int64_t size) { return size > 0; });
  *only = plan.replicas;
  return sizes;
}

}  // namespace berth::server
