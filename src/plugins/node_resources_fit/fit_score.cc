// SPDX-License-Identifier: Apache-2.0
// The scoring strategies of NodeResourcesFit.

#include <algorithm>

#include "plugins/helpers/allocation_scores.h"
#include "plugins/helpers/local_values.h"
#include "plugins/helpers/scored_resources.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::plugins {
namespace {

using framework::NodeSlot;

// Calls `visit(requested, capacity, weight)` for every resource that the node has.
template <class Visit>
void ForResources(std::span<const ScoredResource> resources, NodeSlot slot, Visit visit) {
  for (const ScoredResource& resource : resources) {
    const int64_t capacity = resource.allocatable[slot.index];
    if (capacity == 0) continue;
    visit(cluster::WrapAdd(resource.used[slot.index], resource.pod_request), capacity, resource.weight);
  }
}

int64_t LeastAllocated(std::span<const ScoredResource> resources, NodeSlot slot) {
  WeightedMean mean;
  ForResources(resources, slot, [&](int64_t requested, int64_t capacity, int64_t weight) {
    mean.Add(LeastAllocatedScore(requested, capacity), weight);
  });
  return mean.Truncated();
}

// The same for a tile of nodes, as bytes. False if amounts or weights are unusual.
bool LeastAllocatedTile(std::span<const ScoredResource> resources, uint32_t first, uint8_t* __restrict scores) {
  constexpr int64_t kLargeWeight = 1 << 20;
  if (resources.empty()) return false;
  TileOfDoubles sums{};
  double weights = 0;
  for (const ScoredResource& resource : resources) {
    TileOfDoubles capacity;
    TileOfDoubles requested;
    if (resource.weight < 1 || resource.weight > kLargeWeight ||
        !ReadTile(resource.allocatable + first, 0, 1, capacity.data()) ||
        !ReadTile(resource.used + first, resource.pod_request, 0, requested.data())) {
      return false;
    }
    const auto weight = static_cast<double>(resource.weight);
    TileOfDoubles free;
    for (uint32_t i = 0; i < kTile; ++i) free[i] = std::max(0.0, capacity[i] - requested[i]);
    for (uint32_t i = 0; i < kTile; ++i) {
      // A correctly rounded quotient of such integers does not reach the next one (see exact_division.h).
      sums[i] += weight * static_cast<double>(static_cast<int32_t>(free[i] * 100 / capacity[i]));
    }
    weights += weight;
  }
  // Half of one more keeps away from the next integer on either side, by far more than a product rounds.
  const double share = 1 / weights;
  for (uint32_t i = 0; i < kTile; ++i) scores[i] = static_cast<uint8_t>(static_cast<int32_t>((sums[i] + 0.5) * share));
  return true;
}

int64_t MostAllocated(std::span<const ScoredResource> resources, NodeSlot slot) {
  WeightedMean mean;
  ForResources(resources, slot, [&](int64_t requested, int64_t capacity, int64_t weight) {
    mean.Add(MostAllocatedScore(requested, capacity), weight);
  });
  return mean.Truncated();
}

// Resources that score 0 do not count, and the result is rounded.
int64_t Ratio(std::span<const ScoredResource> resources, NodeSlot slot, const BrokenLinear& shape) {
  WeightedMean mean;
  ForResources(resources, slot, [&](int64_t requested, int64_t capacity, int64_t weight) {
    const int64_t score = shape(UsedPercent(requested, capacity));
    if (score > 0) mean.Add(score, weight);
  });
  return mean.Rounded();
}

// Whether the nodes have the same of everything, so that their scores are equal.
bool AreAlike(std::span<const ScoredResource> resources, NodeSlot a, NodeSlot b) {
  return std::ranges::all_of(resources, [&](const ScoredResource& resource) {
    return resource.allocatable[a.index] == resource.allocatable[b.index] &&
           resource.used[a.index] == resource.used[b.index];
  });
}

std::vector<ScoredResource> ResourcesOf(const framework::Cycle& cycle, const ScoringStrategy& strategy,
                                        std::span<const NodeSlot> nodes) {
  return ScoredResources(strategy.resources, cycle.pod().pod_template->scoring_requests, UsedCpuAndMemory::kNonZero,
                         cycle.cluster(), nodes);
}

}  // namespace

framework::Status NodeResourcesFit::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                                          framework::Scores& scores) const {
  if (strategy_.resources.empty()) return framework::Status::Error("resources not found");
  const std::vector<ScoredResource> resources = ResourcesOf(cycle, strategy_, nodes);
  const auto score = [&](NodeSlot slot) {
    if (ratio_shape_) return Ratio(resources, slot, *ratio_shape_);
    if (strategy_.type == ScoringStrategy::kMostAllocated) return MostAllocated(resources, slot);
    return LeastAllocated(resources, slot);
  };
  if (DependOnDevices(resources)) {
    std::ranges::transform(nodes, scores.MakeArray(nodes.size()).begin(), score);
  } else {
    const bool is_least = !ratio_shape_ && strategy_.type == ScoringStrategy::kLeastAllocated;
    const auto byte = [&](NodeSlot slot) { return ScoreByte(score(slot)); };
    const auto tile = [&](uint32_t first, uint8_t* bytes) {
      return is_least && LeastAllocatedTile(resources, first, bytes);
    };
    scores.SetBySlot(nodes, cycle.kept<KeptValues>(*this).scores.Get(NeedOf(resources), cycle.nodes(), byte, tile));
  }
  return framework::Status::Success();
}

framework::Reach NodeResourcesFit::score_reach(const framework::Cycle& cycle) const {
  return AnyFromDevices(strategy_.resources, cycle.cluster()) ? framework::Reach::kCluster : framework::Reach::kNode;
}

framework::Status NodeResourcesFit::ScorePlacement(const framework::GroupNode&, const framework::Placement& placement,
                                                   std::span<const framework::ProposedAssignment> assignments,
                                                   const cluster::Cluster& cluster, int64_t& score) const {
  // The nodes are weighed like one large node, and the pods that go there like one large pod.
  cluster::Resources needs;
  for (const framework::ProposedAssignment& assignment : assignments) {
    const cluster::Resources& requests = assignment.cycle->pod().pod_template->scoring_requests;
    needs.cpu_milli = cluster::WrapAdd(needs.cpu_milli, requests.cpu_milli);
    needs.memory_bytes = cluster::WrapAdd(needs.memory_bytes, requests.memory_bytes);
    needs.ephemeral_bytes = cluster::WrapAdd(needs.ephemeral_bytes, requests.ephemeral_bytes);
    for (const auto& [name, amount] : requests.scalars) needs.AddScalar(name, amount);
  }
  WeightedMean mean;
  for (const ScoredResource& resource :
       ScoredResources(strategy_.resources, needs, UsedCpuAndMemory::kNonZero, cluster, placement.nodes)) {
    if (resource.devices != nullptr) continue;  // Devices do not count here.
    int64_t requested = resource.pod_request;
    int64_t capacity = 0;
    for (const NodeSlot slot : placement.nodes) {
      if (resource.allocatable[slot.index] == 0) continue;
      capacity = cluster::WrapAdd(capacity, resource.allocatable[slot.index]);
      requested = cluster::WrapAdd(requested, resource.used[slot.index]);
    }
    if (capacity != 0) mean.Add(MostAllocatedScore(requested, capacity), resource.weight);
  }
  score = mean.Truncated();
  return framework::Status::Success();
}

FineMean NodeResourcesFit::FineScoreOf(std::span<const ScoredResource> resources, NodeSlot slot) const {
  FineMean mean;
  ForResources(resources, slot, [&](int64_t requested, int64_t capacity, int64_t weight) {
    const FineScore used = FinePercent(requested, capacity);
    if (!ratio_shape_) {
      mean.Add(strategy_.type == ScoringStrategy::kMostAllocated ? used : Fine(100) - used, weight);
    } else if (const FineScore score = ratio_shape_->At(used); score > 0) {
      mean.Add(score, weight);
    }
  });
  return mean;
}

double NodeResourcesFit::RoughScoreOf(std::span<const ScoredResource> resources, NodeSlot slot) const {
  double sum = 0;
  double weights = 0;
  ForResources(resources, slot, [&](int64_t requested, int64_t capacity, int64_t weight) {
    const double used = std::clamp(static_cast<double>(requested) / static_cast<double>(capacity), 0.0, 1.0);
    const bool likes_full = strategy_.type == ScoringStrategy::kMostAllocated;
    sum += (likes_full ? used : 1 - used) * static_cast<double>(weight);
    weights += static_cast<double>(weight);
  });
  return weights == 0 ? 0 : sum / weights;
}

void NodeResourcesFit::FineScores(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                                  std::span<FineMean> scores) const {
  const std::vector<ScoredResource> resources = ResourcesOf(cycle, strategy_, nodes);
  std::ranges::transform(nodes, scores.begin(), [&](NodeSlot slot) { return FineScoreOf(resources, slot); });
}

void NodeResourcesFit::NarrowTie(framework::Cycle& cycle, std::vector<NodeSlot>& nodes) const {
  const std::vector<ScoredResource> resources = ResourcesOf(cycle, strategy_, nodes);
  if (!ratio_shape_ && !DependOnDevices(resources)) {
    // Most nodes are told apart by doubles, which costs a fraction of the exact comparison that the rest gets.
    constexpr double kSurely = 1e-9;
    const auto rough = [&](NodeSlot slot) { return RoughScoreOf(resources, slot); };
    LocalValues<double>& kept = cycle.kept<KeptValues>(*this).rough_scores;
    const std::vector<int64_t> need = NeedOf(resources);
    // The scores of all nodes are kept for pods that come again; for others only those of these nodes are wanted.
    const bool keeps = kept.Has(need) || nodes.size() > cycle.nodes().slot_limit() / 4;
    const double* const by_slot = keeps ? kept.Get(need, cycle.nodes(), rough) : nullptr;
    std::vector<double> scores;
    scores.reserve(nodes.size());
    double enough = 0;
    for (const NodeSlot slot : nodes) {
      scores.push_back(keeps ? by_slot[slot.index] : rough(slot));
      enough = std::max(enough, scores.back());
    }
    size_t ahead = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (scores[i] >= enough - kSurely) nodes[ahead++] = nodes[i];
    }
    nodes.resize(ahead);
  }
  // What is left is mostly nodes that are alike, and they need no division.
  NodeSlot first = nodes.front();
  FineMean best = FineScoreOf(resources, first);
  size_t kept = 0;
  for (const NodeSlot slot : nodes) {
    if (!AreAlike(resources, slot, first)) {
      const FineMean score = FineScoreOf(resources, slot);
      if (score < best) continue;
      if (best < score) {
        best = score;
        first = slot;
        kept = 0;
      }
    }
    nodes[kept++] = slot;
  }
  nodes.resize(kept);
}

}  // namespace berth::plugins
