// SPDX-License-Identifier: Apache-2.0
#include "plugins/coscheduling/free_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

namespace berth::plugins {
namespace {

using cluster::NodeSlot;
using cluster::NodeTable;
using cluster::PodInfo;

// One resource: what is free of it on a node, and what a pod holds of it there.
struct Measure {
  std::function<int64_t(NodeSlot)> free;
  std::function<int64_t(const PodInfo&)> held;
};

std::optional<Measure> MeasureOf(std::string_view name, const cluster::Cluster& cluster) {
  const NodeTable& nodes = cluster.nodes();
  const auto columns = [](const std::vector<int64_t>& all, const std::vector<int64_t>& taken) {
    return [&](NodeSlot slot) { return cluster::WrapSub(all[slot.index], taken[slot.index]); };
  };
  if (name == "cpu") {
    return Measure{columns(nodes.allocatable_cpu, nodes.requested_cpu),
                   [](const PodInfo& pod) { return pod.requests().cpu_milli; }};
  }
  if (name == "memory") {
    return Measure{columns(nodes.allocatable_memory, nodes.requested_memory),
                   [](const PodInfo& pod) { return pod.requests().memory_bytes; }};
  }
  if (name == "ephemeral-storage") {
    return Measure{columns(nodes.allocatable_ephemeral, nodes.requested_ephemeral),
                   [](const PodInfo& pod) { return pod.requests().ephemeral_bytes; }};
  }
  if (name == "pods")
    return Measure{columns(nodes.allocatable_pods, nodes.pod_count), [](const PodInfo&) { return 1; }};
  cluster::ResourceId id;
  if (!cluster.resource_names().Find(name, id)) return std::nullopt;
  return Measure{[&nodes, id](NodeSlot slot) {
                   const cluster::ScalarColumn* column = nodes.Scalar(id);
                   const int64_t all = column == nullptr ? 0 : column->allocatable[slot.index];
                   return cluster::WrapSub(all, nodes.Requested(slot, id));
                 },
                 [id](const PodInfo& pod) { return pod.requests().scalar(id); }};
}

// How much of `amount` is not there.
int64_t Missing(int64_t amount, const std::optional<Measure>& measure, const cluster::CoscheduledPods::Group& group,
                const cluster::Cluster& cluster) {
  if (!measure) return amount;
  for (const std::string& uid : group.assigned) {
    if (const cluster::PodPtr pod = cluster.FindPod(uid)) amount -= measure->held(*pod);
  }
  for (const NodeSlot slot : cluster.order()) {
    if (amount <= 0) return 0;
    amount -= measure->free(slot);
  }
  return std::max<int64_t>(amount, 0);
}

}  // namespace

std::string ResourceGap(const api::CoscheduledGroup& object, const cluster::CoscheduledPods::Group& group,
                        const cluster::Cluster& cluster) {
  std::map<std::string, int64_t> wanted;
  for (const auto& [name, amount] : *object.min_resources) {
    wanted[name] = name == "cpu" ? amount.MilliValue() : amount.Value();
  }
  wanted["pods"] = object.min_member;
  std::string gap;
  for (const auto& [name, amount] : wanted) {
    const int64_t missing = Missing(amount, MeasureOf(name, cluster), group, cluster);
    if (missing > 0) gap += fmt::format("{}{}: {}{}", gap.empty() ? "" : ", ", name, missing, name == "cpu" ? "m" : "");
  }
  return gap;
}

}  // namespace berth::plugins
