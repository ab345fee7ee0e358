// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/victim_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace berth::plugins {
namespace {

VictimUnit UnitOf(const cluster::PodPtr& pod, const std::optional<cluster::GroupKey>& group,
                  const cluster::PodGroups& groups) {
  VictimUnit unit{.priority = groups.PriorityOf(*pod), .pods = {}, .start = {}};
  if (groups.IsMember(*pod)) unit.kind = VictimUnit::Kind::kPodGroup;
  if (group) {
    if (group->is_composite) unit.kind = VictimUnit::Kind::kCompositePodGroup;
    groups.ForEachLeaf(*group, [&](const cluster::GroupKey&, const cluster::PodGroupState& state) {
      for (cluster::PodPtr& member : state.ScheduledPods()) unit.pods.push_back(std::move(member));
    });
  }
  if (unit.pods.empty()) unit.pods.push_back(pod);
  unit.start = framework::StartTime(*unit.pods.front());
  for (const cluster::PodPtr& member : unit.pods) unit.start = std::min(unit.start, framework::StartTime(*member));
  return unit;
}

}  // namespace

bool MoreImportant(const VictimUnit& a, const VictimUnit& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.kind != b.kind) return a.kind > b.kind;
  if (a.pods.size() != b.pods.size()) return a.pods.size() > b.pods.size();
  return a.start < b.start;
}

Result<std::vector<VictimUnit>> UnitsBelow(int32_t priority, std::span<const cluster::NodeSlot> nodes,
                                           const cluster::Cluster& cluster) {
  std::vector<VictimUnit> units;
  std::set<cluster::GroupKey> seen;
  for (const cluster::NodeSlot node : nodes) {
    for (const cluster::PodPtr& pod : cluster.nodes().pods[node.index].pods) {
      const std::optional<cluster::GroupKey> group = cluster.groups.DisruptedWith(*pod);
      if (group && !seen.insert(*group).second) continue;
      // Most pods are no victims, and one that goes alone is certainly on the node that is being looked at.
      if (!group && cluster.nodes().has_node[node.index] != 0 && cluster.groups.PriorityOf(*pod) >= priority) continue;
      VictimUnit unit = UnitOf(pod, group, cluster.groups);
      for (const cluster::PodPtr& member : unit.pods) {
        cluster::NodeSlot slot;
        if (cluster.nodes().Find(member->node_name, slot) && cluster.nodes().has_node[slot.index] != 0) continue;
        return Invalid(
            fmt::format("failed to get node info for node \"{0}\" from snapshot: nodeinfo not found for "
                        "node name \"{0}\"",
                        member->node_name));
      }
      if (unit.priority < priority) units.push_back(std::move(unit));
    }
  }
  return units;
}

std::vector<int64_t> Overdrawn(const std::vector<VictimUnit>& units, DisruptionBudgets& budgets) {
  std::vector<cluster::PodPtr> pods;
  for (const VictimUnit& unit : units) pods.insert(pods.end(), unit.pods.begin(), unit.pods.end());
  const std::vector<uint8_t> overdrawn = budgets.Overdrawn(pods);
  std::vector<int64_t> counts;
  auto next = overdrawn.begin();
  for (const VictimUnit& unit : units) {
    const auto end = next + static_cast<ptrdiff_t>(unit.pods.size());
    counts.push_back(std::accumulate(next, end, int64_t{0}));
    next = end;
  }
  return counts;
}

}  // namespace berth::plugins
