// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/resource_allocation.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "plugins/legacy/allocation.h"
#include "plugins/legacy/args.h"

namespace berth::plugins::legacy {
namespace {

void CheckWeights(const std::vector<framework::ResourceSpec>& resources, int64_t weight_max, std::string_view range,
                  framework::FieldErrors& errors) {
  for (size_t i = 0; i < resources.size(); ++i) {
    const auto& [name, weight] = resources[i];
    if (weight >= 1 && weight <= weight_max) continue;
    errors.Invalid(framework::Index("resources", i) + ".weight", weight,
                   fmt::format("resource weight of {} not in valid range {}", name, range));
  }
}

void CheckShape(const std::vector<framework::UtilizationShapePoint>& shape, framework::FieldErrors& errors) {
  if (shape.empty()) errors.Required("shape", "at least one point must be specified");
  const auto unsorted =
      std::ranges::adjacent_find(shape, std::greater_equal<>(), &framework::UtilizationShapePoint::utilization);
  if (unsorted != shape.end()) {
    const auto next = unsorted + 1;
    errors.Invalid(fmt::format("shape[{}].utilization", next - shape.begin()), next->utilization,
                   "utilization values must be sorted in increasing order");
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto check = [&](std::string_view field, int32_t value, int32_t max) {
      if (value >= 0 && value <= max) return;
      errors.Invalid(fmt::format("shape[{}].{}", i, field), value, fmt::format("not in valid range [0, {}]", max));
    };
    check("utilization", shape[i].utilization, 100);
    check("score", shape[i].score, 10);
  }
}

// One resource of a pod that is to be scored.
struct LegacyDemand {
  ResourceColumns columns;
  int64_t pod_request;
  int64_t weight;
};

}  // namespace

void ResourceAllocation::Args::Validate(const framework::ArgsCheck& check) const {
  CheckWeights(resources, 100, "(0, 100]", check.errors);
}

void ResourceAllocation::RatioArgs::Validate(const framework::ArgsCheck& check) const {
  CheckShape(shape, check.errors);
  CheckWeights(resources, std::numeric_limits<int64_t>::max(), "[1, inf)", check.errors);
}

Result<std::unique_ptr<framework::Plugin>> ResourceAllocation::Create(const framework::PluginContext& context,
                                                                      AllocationStrategy strategy, Release release) {
  const std::string type = fmt::format("{}Args", NameOf(strategy));
  if (strategy == AllocationStrategy::kRequestedToCapacityRatio) {
    const RatioArgs args = BERTH_TRY(ArgsAs<RatioArgs>(context, type, release));
    return std::make_unique<ResourceAllocation>(strategy, release, args.resources, args.shape);
  }
  const Args args = BERTH_TRY(ArgsAs<Args>(context, type, release));
  return std::make_unique<ResourceAllocation>(strategy, release, args.resources);
}

ResourceAllocation::ResourceAllocation(AllocationStrategy strategy, Release release,
                                       const std::vector<framework::ResourceSpec>& resources,
                                       const std::vector<framework::UtilizationShapePoint>& shape)
    : strategy_(strategy), release_(release) {
  if (strategy == AllocationStrategy::kRequestedToCapacityRatio) shape_ = BrokenLinear::FromShape(shape);
  for (const framework::ResourceSpec& resource : resources) {
    const auto known = std::ranges::find(resources_, resource.name, &framework::ResourceSpec::name);
    if (known == resources_.end()) {
      resources_.push_back(resource);
    } else {
      known->weight = resource.weight;
    }
  }
}

int64_t ResourceAllocation::ScoreOf(int64_t requested, int64_t capacity) const {
  switch (strategy_) {
    case AllocationStrategy::kLeastAllocated: return LeastAllocatedScore(requested, capacity);
    case AllocationStrategy::kMostAllocated: return MostAllocatedScore(requested, capacity);
    case AllocationStrategy::kRequestedToCapacityRatio: break;
  }
  return (*shape_)(release_ == Release::kV121 ? UsedPercentRoundedUp(requested, capacity)
                                              : UsedPercent(requested, capacity));
}

framework::Status ResourceAllocation::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                                            framework::Scores& scores) const {
  // From v1.22 on, a resource does not count where there is none of it, nor does a scalar that the pod does not want.
  const bool counts_missing = release_ == Release::kV121;
  std::vector<LegacyDemand> demands;
  for (const framework::ResourceSpec& resource : resources_) {
    const int64_t request = PodRequest(cycle.pod().spec(), resource.name);
    if (!counts_missing && request == 0 && cluster::IsScalarName(resource.name)) continue;
    demands.push_back({FindColumns(cycle.cluster(), resource.name), request, resource.weight});
  }
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const uint32_t slot = nodes[i].index;
    WeightedMean mean;
    for (const LegacyDemand& demand : demands) {
      const bool is_known = demand.columns.capacity != nullptr;
      const int64_t capacity = is_known ? demand.columns.capacity[slot] : 0;
      if (capacity == 0 && !counts_missing) continue;
      const int64_t used = is_known ? demand.columns.used[slot] : 0;
      const int64_t score = ScoreOf(cluster::WrapAdd(used, demand.pod_request), capacity);
      if (score > 0 || !shape_) mean.Add(score, demand.weight);
    }
    values[i] = shape_ ? mean.Rounded() : mean.Truncated();
  }
  return framework::Status::Success();
}

}  // namespace berth::plugins::legacy
