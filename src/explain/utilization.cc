// SPDX-License-Identifier: Apache-2.0
#include "explain/utilization.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "explain/taints.h"
#include "plugins/helpers/zone_labels.h"

namespace berth::explain {
namespace {

void Add(const Usage& part, Usage& sum) {
  sum.requested = cluster::WrapAdd(sum.requested, part.requested);
  sum.allocatable = cluster::WrapAdd(sum.allocatable, part.allocatable);
}

std::vector<std::string> ExtendedNames(const cluster::Cluster& cluster) {
  std::vector<std::string> names;
  for (const auto& [id, column] : cluster.nodes().scalars()) {
    if (!cluster::IsExtendedName(column.name->text)) continue;
    const bool any = std::ranges::any_of(column.allocatable, [](int64_t amount) { return amount > 0; });
    if (any) names.push_back(column.name->text);
  }
  std::ranges::sort(names);
  return names;
}

Usage ExtendedUsage(const cluster::Cluster& cluster, std::string_view name, uint32_t slot) {
  cluster::ResourceId id;
  cluster.resource_names().Find(name, id);
  const cluster::ScalarColumn& column = *cluster.nodes().Scalar(id);
  return {column.requested[slot], column.allocatable[slot], column.has_allocatable[slot] != 0};
}

// "cordoned", "taint gpu=yes:NoSchedule", or both. Cordoning adds a taint, which says nothing new.
std::string NoteOf(const api::Node& node) {
  std::vector<std::string> notes;
  if (node.unschedulable) notes.emplace_back("cordoned");
  for (const api::Taint& taint : node.taints) {
    if (node.unschedulable && taint.key == kCordonTaintKey) continue;
    notes.push_back("taint " + TaintText(taint));
  }
  return fmt::format("{}", fmt::join(notes, ", "));
}

void MeasureCommon(const cluster::NodeTable& nodes, uint32_t slot, NodeUsage& usage) {
  usage.pods = {nodes.pod_count[slot], nodes.allocatable_pods[slot]};
  usage.cpu_milli = {nodes.requested_cpu[slot], nodes.allocatable_cpu[slot]};
  usage.memory_bytes = {nodes.requested_memory[slot], nodes.allocatable_memory[slot]};
}

void AddCommon(const NodeUsage& usage, NodeUsage& total) {
  Add(usage.pods, total.pods);
  Add(usage.cpu_milli, total.cpu_milli);
  Add(usage.memory_bytes, total.memory_bytes);
}

NodeUsage MeasureNode(const cluster::Cluster& cluster, const std::vector<std::string>& extended, uint32_t slot) {
  const cluster::NodeTable& nodes = cluster.nodes();
  NodeUsage usage;
  usage.name = nodes.name[slot];
  usage.zone = nodes.node[slot]->meta.labels.Get(plugins::kZoneLabel);
  usage.note = NoteOf(*nodes.node[slot]);
  MeasureCommon(nodes, slot, usage);
  for (const std::string& name : extended) usage.extended.push_back(ExtendedUsage(cluster, name, slot));
  return usage;
}

// At most one digit after the point, and none that is zero.
std::string OneDigit(double number) {
  const double rounded = std::round(number * 10) / 10;
  return rounded == std::floor(rounded) ? fmt::format("{:.0f}", rounded) : fmt::format("{:.1f}", rounded);
}

}  // namespace

Utilization Measure(const cluster::Cluster& cluster) {
  Utilization result;
  result.extended = ExtendedNames(cluster);
  result.total.extended.resize(result.extended.size());
  const cluster::NodeTable& nodes = cluster.nodes();
  for (uint32_t slot = 0; slot < nodes.slot_limit(); ++slot) {
    if (nodes.has_node[slot] == 0) continue;
    const NodeUsage& usage = result.nodes.emplace_back(MeasureNode(cluster, result.extended, slot));
    AddCommon(usage, result.total);
    for (size_t i = 0; i < usage.extended.size(); ++i) Add(usage.extended[i], result.total.extended[i]);
  }
  std::ranges::sort(result.nodes, {}, &NodeUsage::name);
  return result;
}

NodeUsage MeasureTotal(const cluster::Cluster& cluster) {
  const cluster::NodeTable& nodes = cluster.nodes();
  NodeUsage usage, total;
  for (uint32_t slot = 0; slot < nodes.slot_limit(); ++slot) {
    if (nodes.has_node[slot] == 0) continue;
    MeasureCommon(nodes, slot, usage);
    AddCommon(usage, total);
  }
  return total;
}

std::string FormatCpu(int64_t milli) {
  if (milli % 100 == 0 || std::abs(milli) >= 100'000) return OneDigit(static_cast<double>(milli) / 1000);
  return fmt::format("{}m", milli);
}

std::string FormatBytes(int64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  double amount = static_cast<double>(bytes);
  size_t unit = 0;
  for (; std::abs(amount) >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  return OneDigit(amount) + std::string(kUnits[unit]);
}

}  // namespace berth::explain
