// SPDX-License-Identifier: Apache-2.0
// The scoring strategies of NodeResourcesFit.

#include <algorithm>

#include "base/go_math.h"
#include "plugins/helpers/scored_resources.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::plugins {
namespace {

using cluster::WrapAdd;
using cluster::WrapMul;
using framework::NodeSlot;

// The weighted mean of `rate(requested, capacity)` over the resources that the node has, truncated.
template <class Rate>
int64_t Mean(std::span<const ScoredResource> resources, NodeSlot slot, Rate rate) {
  int64_t sum = 0;
  int64_t weights = 0;
  for (const ScoredResource& resource : resources) {
    const int64_t capacity = resource.allocatable[slot.index];
    if (capacity == 0) continue;
    sum += rate(WrapAdd(resource.used[slot.index], resource.pod_request), capacity) * resource.weight;
    weights += resource.weight;
  }
  return weights == 0 ? 0 : sum / weights;
}

int64_t LeastAllocated(int64_t requested, int64_t capacity) {
  return requested > capacity ? 0 : WrapMul(capacity - requested, 100) / capacity;
}

int64_t MostAllocated(int64_t requested, int64_t capacity) { return WrapMul(std::min(requested, capacity), 100) / capacity; }

// Like the mean, but resources that score 0 do not count, and the result is rounded.
int64_t Ratio(std::span<const ScoredResource> resources, NodeSlot slot, const BrokenLinear& shape) {
  int64_t sum = 0;
  int64_t weights = 0;
  for (const ScoredResource& resource : resources) {
    const int64_t capacity = resource.allocatable[slot.index];
    if (capacity == 0) continue;
    const int64_t requested = WrapAdd(resource.used[slot.index], resource.pod_request);
    const int64_t score = shape(requested > capacity ? 100 : WrapMul(requested, 100) / capacity);
    if (score <= 0) continue;
    sum += score * resource.weight;
    weights += resource.weight;
  }
  return weights == 0 ? 0 : RoundHalfAway(static_cast<double>(sum) / static_cast<double>(weights));
}

}  // namespace

framework::Status NodeResourcesFit::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                                          framework::Scores& scores) const {
  if (strategy_.resources.empty()) return framework::Status::Error("resources not found");
  const std::vector<ScoredResource> resources = ScoredResources(
      strategy_.resources, cycle.pod().pod_template->scoring_requests, UsedCpuAndMemory::kNonZero, cycle.cluster());
  scores.SetBySlot(nodes, local_scores_.Get(NeedOf(resources), cycle.nodes(), [&](NodeSlot slot) {
    if (ratio_shape_) return Ratio(resources, slot, *ratio_shape_);
    if (strategy_.type == framework::ScoringStrategy::kMostAllocated) return Mean(resources, slot, MostAllocated);
    return Mean(resources, slot, LeastAllocated);
  }));
  return framework::Status::Success();
}

}  // namespace berth::plugins
