// SPDX-License-Identifier: Apache-2.0
#include "plugins/topology_placement_generator/topology_placement_generator.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>

namespace berth::plugins {
namespace {

using cluster::NodeSlot;

const std::string* LabelOf(const cluster::NodeTable& nodes, NodeSlot slot, const std::string& key) {
  return nodes.node[slot.index]->meta.labels.Find(key);
}

// The domain of the group's pods that have a node; nothing if none has one.
Result<std::optional<std::string>> ScheduledDomain(const framework::GroupNode& group, const std::string& key,
                                                   const cluster::Cluster& cluster) {
  std::vector<cluster::PodPtr> scheduled;
  cluster.groups.ForEachLeaf(group.key, [&](const cluster::GroupKey&, const cluster::PodGroupState& state) {
    for (cluster::PodPtr& pod : state.ScheduledPods()) scheduled.push_back(std::move(pod));
  });
  std::optional<std::string> domain;
  for (const cluster::PodPtr& pod : scheduled) {
    NodeSlot slot;
    if (!cluster.nodes().Find(pod->node_name, slot) || cluster.nodes().has_node[slot.index] == 0) {
      return Invalid(fmt::format("getting node for pod {}: nodeinfo not found for node name \"{}\"", pod->full_name(),
                                 pod->node_name));
    }
    const std::string* own = LabelOf(cluster.nodes(), slot, key);
    if (own == nullptr) return Invalid(fmt::format("no topology domain found for pod {}", pod->full_name()));
    if (domain && !domain->empty() && *domain != *own) {
      return Invalid(fmt::format("more than 1 domain found for pod group: {}, {}", *domain, *own));
    }
    domain = *own;
  }
  return domain;
}

}  // namespace

framework::Status TopologyPlacementGenerator::GeneratePlacements(const framework::GroupNode& group,
                                                                 const framework::Placement& parent,
                                                                 const cluster::Cluster& cluster,
                                                                 std::vector<framework::Placement>& placements) const {
  const std::optional<std::string>& key = group.spec().topology_key;
  if (!key) {
    placements.push_back({"", parent.nodes});
    return framework::Status::Success();
  }
  const Result<std::optional<std::string>> required = ScheduledDomain(group, *key, cluster);
  if (!required) {
    return framework::Status::Error("cannot determine domain for already scheduled pods: " + required.error().message);
  }
  std::map<std::string, framework::Placement> domains;
  for (const NodeSlot slot : parent.nodes) {
    const std::string* domain = LabelOf(cluster.nodes(), slot, *key);
    if (domain == nullptr || (*required && **required != *domain)) continue;
    framework::Placement& placement = domains[*domain];
    placement.name = *domain;
    placement.nodes.push_back(slot);
  }
  for (auto& [name, placement] : domains) placements.push_back(std::move(placement));
  return framework::Status::Success();
}

}  // namespace berth::plugins
