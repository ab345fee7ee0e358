// SPDX-License-Identifier: Apache-2.0
// The scoring strategies of NodeResourcesFit.

#include <algorithm>
#include <cmath>

#include "plugins/helpers/exact_division.h"
#include "plugins/helpers/scored_resources.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::plugins {
namespace {

using framework::NodeSlot;

// The weighted mean of `rate(requested, capacity)` over the resources that the node has, truncated.
template <class Rate>
void ScoreMean(std::span<const ScoredResource> resources, std::span<const NodeSlot> nodes, std::span<int64_t> scores,
               Rate rate) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const uint32_t slot = nodes[i].index;
    int64_t sum = 0;
    int64_t weights = 0;
    for (const ScoredResource& resource : resources) {
      const int64_t capacity = resource.allocatable[slot];
      if (capacity == 0) continue;
      sum += rate(resource.used[slot] + resource.pod_request, capacity) * resource.weight;
      weights += resource.weight;
    }
    scores[i] = weights == 0 ? 0 : SmallQuotient(sum, weights);
  }
}

int64_t LeastAllocated(int64_t requested, int64_t capacity) {
  return requested > capacity ? 0 : Percent(capacity - requested, capacity);
}

int64_t MostAllocated(int64_t requested, int64_t capacity) { return Percent(std::min(requested, capacity), capacity); }

// Like the mean, but resources that score 0 do not count, and the result is rounded.
void ScoreRatio(std::span<const ScoredResource> resources, const BrokenLinear& shape, std::span<const NodeSlot> nodes,
                std::span<int64_t> scores) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const uint32_t slot = nodes[i].index;
    int64_t sum = 0;
    int64_t weights = 0;
    for (const ScoredResource& resource : resources) {
      const int64_t capacity = resource.allocatable[slot];
      if (capacity == 0) continue;
      const int64_t requested = resource.used[slot] + resource.pod_request;
      const int64_t score = shape(requested > capacity ? 100 : Percent(requested, capacity));
      if (score <= 0) continue;
      sum += score * resource.weight;
      weights += resource.weight;
    }
    scores[i] = weights == 0 ? 0 : std::llround(static_cast<double>(sum) / static_cast<double>(weights));
  }
}

}  // namespace

framework::Status NodeResourcesFit::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                                          framework::Scores& scores) const {
  if (strategy_.resources.empty()) return framework::Status::Error("resources not found");
  const std::vector<ScoredResource> resources = ScoredResources(
      strategy_.resources, cycle.pod().pod_template->scoring_requests, UsedCpuAndMemory::kNonZero, cycle.cluster());
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  if (ratio_shape_) {
    ScoreRatio(resources, *ratio_shape_, nodes, values);
  } else if (strategy_.type == framework::ScoringStrategy::kMostAllocated) {
    ScoreMean(resources, nodes, values, MostAllocated);
  } else {
    ScoreMean(resources, nodes, values, LeastAllocated);
  }
  return framework::Status::Success();
}

}  // namespace berth::plugins
