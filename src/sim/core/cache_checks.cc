// SPDX-License-Identifier: Apache-2.0
// Cache and indexes against ones made from scratch.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "cluster/test_builders.h"
#include "cluster/test_indexes.h"
#include "sim/core/checker.h"

namespace berth::sim {
namespace {

using cluster::NodeSlot;
using cluster::NodeTable;

std::vector<std::string> Uids(const std::vector<cluster::PodPtr>& pods) {
  std::vector<std::string> uids;
  for (const cluster::PodPtr& pod : pods) uids.push_back(pod->uid);
  std::ranges::sort(uids);
  return uids;
}

size_t PortCount(const std::vector<cluster::PodPtr>& pods) {
  size_t count = 0;
  for (const cluster::PodPtr& pod : pods) count += pod->pod_template->host_ports.size();
  return count;
}

int64_t Requested(const cluster::Cluster& cluster, NodeSlot slot, std::string_view resource) {
  cluster::ResourceId id;
  if (!cluster.resource_names().Find(resource, id)) return 0;
  return cluster.nodes().Requested(slot, id);
}

// A column repeats what the rows say.
bool ColumnsAgree(const NodeTable& nodes, NodeSlot slot) {
  return std::ranges::all_of(nodes.scalars(), [&](const auto& entry) {
    return entry.second.requested[slot.index] == nodes.Requested(slot, entry.first);
  });
}

// What of the row differs, or nullptr.
const char* Difference(const cluster::Cluster& left, NodeSlot a, const cluster::Cluster& right, NodeSlot b) {
  const NodeTable& x = left.nodes();
  const NodeTable& y = right.nodes();
  if (x.has_node[a.index] != y.has_node[b.index]) return "has_node";
  if (x.unschedulable[a.index] != y.unschedulable[b.index] && x.has_node[a.index] != 0) return "unschedulable";
  for (const auto column :
       {&NodeTable::allocatable_cpu, &NodeTable::allocatable_memory, &NodeTable::allocatable_pods}) {
    if (x.has_node[a.index] != 0 && (x.*column)[a.index] != (y.*column)[b.index]) return "allocatable";
  }
  for (const auto column : {&NodeTable::requested_cpu, &NodeTable::requested_memory, &NodeTable::requested_ephemeral,
                            &NodeTable::nonzero_cpu, &NodeTable::nonzero_memory, &NodeTable::pod_count}) {
    if ((x.*column)[a.index] != (y.*column)[b.index]) return "requested";
  }
  if (Requested(left, a, "example.com/gpu") != Requested(right, b, "example.com/gpu")) return "requested scalar";
  if (!ColumnsAgree(x, a)) return "column of a scalar";
  const cluster::NodePods& p = x.pods[a.index];
  const cluster::NodePods& q = y.pods[b.index];
  if (Uids(p.pods) != Uids(q.pods)) return "pods";
  if (Uids(p.with_affinity) != Uids(q.with_affinity)) return "pods with affinity";
  if (Uids(p.with_required_anti_affinity) != Uids(q.with_required_anti_affinity)) return "pods with anti-affinity";
  // Where pods share a port, which happens when one of them is going, the first to leave takes it along, as upstream
  // has it.
  if (p.used_ports != q.used_ports && PortCount(q.pods) == q.used_ports.size()) return "ports";
  if (p.pvc_counts != q.pvc_counts) return "claims";
  return nullptr;
}

}  // namespace

std::string Checker::CheckCache() const {
  cluster::Cluster fresh;
  std::set<std::string> claims;
  for (const auto& [key, object] : server_.seen()) {
    if (const auto* node = std::get_if<api::Node>(&object)) fresh.AddNode(*node);
    const auto* pod = std::get_if<api::Pod>(&object);
    if (pod == nullptr) continue;
    for (const api::Volume& volume : pod->spec.volumes) claims.insert(pod->meta.ns + "/" + volume.id);
    const bool is_terminal = pod->status.phase == "Succeeded" || pod->status.phase == "Failed";
    if (!pod->node_name.empty() && !is_terminal) (void)fresh.AddPod(fresh.MakePod(*pod));
  }
  for (const std::string& uid : core_.cluster().assumed_uids()) {
    const cluster::PodPtr assumed = core_.cluster().FindPod(uid);
    api::Pod pod = versions_.at(assumed->resource_version);
    pod.node_name = assumed->node_name;
    (void)fresh.AddPod(fresh.MakePod(std::move(pod)));
  }
  for (const std::string& claim : claims) {
    if (core_.cluster().ClaimUsers(claim) != fresh.ClaimUsers(claim))
      return "claim " + claim + " has a wrong number of users";
  }
  if (std::string wrong = CompareNodes(fresh); !wrong.empty()) return wrong;
  if (std::string wrong = CheckAffinityIndex(); !wrong.empty()) return wrong;
  return CheckCounters();
}

std::string Checker::CompareNodes(const cluster::Cluster& fresh) const {
  const NodeTable& nodes = core_.cluster().nodes();
  if (nodes.row_count() != fresh.nodes().row_count()) {
    return fmt::format("the cache has {} rows, not {}", nodes.row_count(), fresh.nodes().row_count());
  }
  if (core_.cluster().pod_count() != fresh.pod_count()) {
    return fmt::format("the cache has {} pods, not {}", core_.cluster().pod_count(), fresh.pod_count());
  }
  for (size_t i = 0; i < nodes.slot_limit(); ++i) {
    if (nodes.in_use[i] == 0) continue;
    NodeSlot other;
    if (!fresh.nodes().Find(nodes.name[i], other)) return "the cache has a row too many: " + nodes.name[i];
    const char* difference = Difference(core_.cluster(), NodeSlot{static_cast<uint32_t>(i)}, fresh, other);
    if (difference != nullptr) return fmt::format("node {} in the cache is wrong: {}", nodes.name[i], difference);
  }
  return "";
}

std::string Checker::CheckAffinityIndex() const {
  return cluster::IsAffinityIndexRight(core_.cluster()) ? "" : "the affinity index is wrong";
}

std::string Checker::CheckCounters() const {
  const NodeTable& nodes = core_.cluster().nodes();
  for (const char* app : {"web", "db"}) {
    cluster::PodQuery query;
    query.namespaces = {"default"};
    query.selectors = {api::Selector::Compile(cluster::MatchLabels({{"app", app}})).value()};
    query.skip_terminating = app == std::string_view("db");
    const auto counter = core_.cluster().CountPods(query);
    cluster::ScannedCounts scanned;
    for (uint32_t i = 0; i < nodes.slot_limit(); ++i) {
      const auto count = std::ranges::count_if(nodes.pods[i].pods, [&](const cluster::PodPtr& pod) {
        return pod->labels().Get("app") == app && !(query.skip_terminating && pod->is_terminating());
      });
      if (counter->count(NodeSlot{i}) != count)
        return fmt::format("the counter of {} is wrong on node {}", app, nodes.name[i]);
      if (count != 0) scanned[i] = static_cast<int32_t>(count);
    }
    if (!cluster::AreCounts(counter->pods(), scanned, "topology.kubernetes.io/zone", nodes))
      return fmt::format("the sums of {} by zone are wrong", app);
  }
  return "";
}

}  // namespace berth::sim
