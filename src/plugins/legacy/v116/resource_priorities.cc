// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/resource_priorities.h"

#include <cmath>

#include "plugins/helpers/local_values.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeSlot;
using framework::ResourceSpec;

std::vector<ResourceSpec> CpuAndMemory() { return {{"cpu", 1}, {"memory", 1}}; }

// A resource as columns of the node table; null where no node has it.
struct UseColumns {
  const int64_t* capacity = nullptr;
  const int64_t* requested = nullptr;
  int64_t pod_request = 0;
};

UseColumns ColumnsOf(const std::string& name, const framework::Cycle& cycle) {
  const cluster::NodeTable& nodes = cycle.nodes();
  const cluster::Resources& wanted = cycle.pod().pod_template->scoring_requests;
  if (name == "cpu") return {nodes.allocatable_cpu.data(), nodes.nonzero_cpu.data(), wanted.cpu_milli};
  if (name == "memory") return {nodes.allocatable_memory.data(), nodes.nonzero_memory.data(), wanted.memory_bytes};
  if (name == "ephemeral-storage") {
    return {nodes.allocatable_ephemeral.data(), nodes.requested_ephemeral.data(), wanted.ephemeral_bytes};
  }
  cluster::ResourceId id;
  if (!cycle.cluster().resource_names().Find(name, id)) return {};
  const cluster::ScalarColumn* column = nodes.Scalar(id);
  if (column == nullptr) return {nullptr, nullptr, wanted.scalar(id)};
  return {column->allocatable.data(), column->requested.data(), wanted.scalar(id)};
}

double UsedFraction(int64_t requested, int64_t capacity) {
  return capacity == 0 ? 1 : static_cast<double>(requested) / static_cast<double>(capacity);
}

std::vector<BrokenLinear::Point> Points(const std::vector<framework::UtilizationShapePoint>& shape) {
  if (shape.empty()) return {{0, kMaxPriority}, {100, 0}};
  std::vector<BrokenLinear::Point> points;
  for (const framework::UtilizationShapePoint& point : shape) points.push_back({point.utilization, point.score});
  return points;
}

}  // namespace

framework::Status ResourcePriority::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                                          framework::Scores& scores) const {
  std::vector<UseColumns> columns;
  std::vector<int64_t> need;
  for (const ResourceSpec& resource : resources_) {
    columns.push_back(ColumnsOf(resource.name, cycle));
    need.push_back(columns.back().pod_request);
  }
  std::vector<Use> uses(columns.size());
  LocalValues<uint8_t>& kept = cycle.kept<KeptValues>(*this).scores;
  const uint8_t* by_slot = kept.Get(need, cycle.nodes(), [&](NodeSlot slot) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const int64_t taken = columns[i].requested == nullptr ? 0 : columns[i].requested[slot.index];
      uses[i] = {.requested = cluster::WrapAdd(taken, columns[i].pod_request),
                 .capacity = columns[i].capacity == nullptr ? 0 : columns[i].capacity[slot.index],
                 .weight = resources_[i].weight};
    }
    return ScoreByte(ScoreOf(uses));
  });
  scores.SetBySlot(nodes, by_slot);
  return framework::Status::Success();
}

LeastRequestedPriority::LeastRequestedPriority(std::string_view name) : ResourcePriority(name, CpuAndMemory()) {}

int64_t LeastRequestedPriority::ScoreOf(std::span<const Use> uses) const {
  int64_t sum = 0;
  for (const Use& use : uses) {
    if (use.capacity == 0 || use.requested > use.capacity) continue;
    sum += cluster::WrapMul(use.capacity - use.requested, kMaxPriority) / use.capacity;
  }
  return sum / std::ssize(uses);
}

MostRequestedPriority::MostRequestedPriority(std::string_view name) : ResourcePriority(name, CpuAndMemory()) {}

int64_t MostRequestedPriority::ScoreOf(std::span<const Use> uses) const {
  int64_t sum = 0;
  for (const Use& use : uses) {
    if (use.capacity == 0 || use.requested > use.capacity) continue;
    sum += cluster::WrapMul(use.requested, kMaxPriority) / use.capacity;
  }
  return sum / std::ssize(uses);
}

BalancedResourceAllocation::BalancedResourceAllocation(std::string_view name)
    : ResourcePriority(name, CpuAndMemory()) {}

int64_t BalancedResourceAllocation::ScoreOf(std::span<const Use> uses) const {
  const double cpu = UsedFraction(uses[0].requested, uses[0].capacity);
  const double memory = UsedFraction(uses[1].requested, uses[1].capacity);
  if (cpu >= 1 || memory >= 1) return 0;
  return static_cast<int64_t>((1 - std::abs(cpu - memory)) * static_cast<double>(kMaxPriority));
}

Result<std::unique_ptr<framework::Plugin>> RequestedToCapacityRatioPriority::Create(
    const framework::PluginContext& context) {
  return std::make_unique<RequestedToCapacityRatioPriority>(context.name, context.args.ValueOr<Args>());
}

RequestedToCapacityRatioPriority::RequestedToCapacityRatioPriority(std::string_view name, Args args)
    : ResourcePriority(name, args.resources.empty() ? CpuAndMemory() : std::move(args.resources)),
      shape_(Points(args.shape)) {}

int64_t RequestedToCapacityRatioPriority::ScoreOf(std::span<const Use> uses) const {
  int64_t sum = 0;
  int64_t weights = 0;
  for (const Use& use : uses) {
    const bool is_full = use.capacity == 0 || use.requested > use.capacity;
    const int64_t utilization =
        is_full ? 100 : 100 - cluster::WrapMul(use.capacity - use.requested, 100) / use.capacity;
    const int64_t score = shape_(utilization);
    if (score <= 0) continue;  // As upstream has it, such a resource does not count at all.
    sum += score * use.weight;
    weights += use.weight;
  }
  return weights == 0 ? 0 : std::llround(static_cast<double>(sum) / static_cast<double>(weights));
}

}  // namespace berth::plugins::legacy::v116
