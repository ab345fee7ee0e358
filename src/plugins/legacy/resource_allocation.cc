// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/resource_allocation.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "api/field_error.h"
#include "base/error_counts.h"
#include "plugins/legacy/allocation.h"
#include "plugins/legacy/args.h"

namespace berth::plugins::legacy {
namespace {

using Errors = std::vector<std::string>;

std::string InvalidNumber(std::string_view path, int64_t value, std::string_view detail) {
  return fmt::format("{}: Invalid value: {}: {}", path, value, detail);
}

void CheckWeights(const std::vector<framework::ResourceSpec>& resources, int64_t weight_max, std::string_view range,
                  Errors& errors) {
  for (size_t i = 0; i < resources.size(); ++i) {
    const auto& [name, weight] = resources[i];
    if (weight >= 1 && weight <= weight_max) continue;
    errors.push_back(InvalidNumber(fmt::format("resources[{}].weight", i), weight,
                                   fmt::format("resource weight of {} not in valid range {}", name, range)));
  }
}

void CheckShape(const std::vector<framework::UtilizationShapePoint>& shape, Errors& errors) {
  if (shape.empty()) errors.emplace_back("shape: Required value: at least one point must be specified");
  const auto unsorted =
      std::ranges::adjacent_find(shape, std::greater_equal<>(), &framework::UtilizationShapePoint::utilization);
  if (unsorted != shape.end()) {
    const auto next = unsorted + 1;
    errors.push_back(InvalidNumber(fmt::format("shape[{}].utilization", next - shape.begin()), next->utilization,
                                   "utilization values must be sorted in increasing order"));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto check = [&](std::string_view field, int32_t value, int32_t max) {
      if (value >= 0 && value <= max) return;
      errors.push_back(
          InvalidNumber(fmt::format("shape[{}].{}", i, field), value, fmt::format("not in valid range [0, {}]", max)));
    };
    check("utilization", shape[i].utilization, 100);
    check("score", shape[i].score, 10);
  }
}

// One resource of a pod that is to be scored.
struct Demand {
  ResourceColumns columns;
  int64_t pod_request;
  int64_t weight;
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> ResourceAllocation::Create(const framework::PluginContext& context,
                                                                      AllocationStrategy strategy, Release release) {
  Errors errors;
  if (strategy == AllocationStrategy::kRequestedToCapacityRatio) {
    const auto args = BERTH_TRY(
        ArgsAs<framework::RequestedToCapacityRatioArgs>(context.args, "RequestedToCapacityRatioArgs", release));
    CheckShape(args.shape, errors);
    CheckWeights(args.resources, std::numeric_limits<int64_t>::max(), "[1, inf)", errors);
    if (!errors.empty()) return Invalid(JoinErrors(errors));
    return std::make_unique<ResourceAllocation>(strategy, release, args.resources, args.shape);
  }
  const auto args = BERTH_TRY(
      ArgsAs<framework::ResourceAllocationArgs>(context.args, fmt::format("{}Args", NameOf(strategy)), release));
  CheckWeights(args.resources, 100, "(0, 100]", errors);
  if (!errors.empty()) return Invalid(JoinErrors(errors));
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
  std::vector<Demand> demands;
  for (const framework::ResourceSpec& resource : resources_) {
    const int64_t request = PodRequest(cycle.pod().spec(), resource.name);
    if (!counts_missing && request == 0 && cluster::IsScalarName(resource.name)) continue;
    demands.push_back({FindColumns(cycle.cluster(), resource.name), request, resource.weight});
  }
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const uint32_t slot = nodes[i].index;
    WeightedMean mean;
    for (const Demand& demand : demands) {
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
