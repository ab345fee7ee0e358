// SPDX-License-Identifier: Apache-2.0
#include "explain/node_state.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "explain/taints.h"

namespace berth::explain {
namespace {

using cluster::NodeTable;

// By which the node lifecycle controller says that a node is not ready, or not heard of.
bool IsOfReadiness(const api::Taint& taint) {
  return taint.key == "node.kubernetes.io/not-ready" || taint.key == "node.kubernetes.io/unreachable";
}

bool IsReady(const api::Node& node) {
  const auto ready = std::ranges::find(node.conditions, "Ready", &api::NodeCondition::type);
  if (ready != node.conditions.end()) return ready->status == "True";
  return std::ranges::none_of(node.taints, IsOfReadiness);
}

// Scalars that are zero are left out.
template <class ScalarOf>
void WriteAmounts(api::JsonWriter& json, const NodeTable& nodes, int64_t cpu, int64_t memory, int64_t ephemeral,
                  int64_t pods, ScalarOf scalar_of) {
  json.Key("cpu").Int(cpu).Key("memory").Int(memory);
  json.Key("ephemeral-storage").Int(ephemeral).Key("pods").Int(pods);
  for (const auto& [id, column] : nodes.scalars()) {
    const int64_t amount = scalar_of(column);
    if (amount != 0) json.Key(column.name->text).Int(amount);
  }
}

struct DeviceCount {
  int64_t all = 0;
  int64_t allocated = 0;
};

// By driver. Devices that can be reached from several nodes belong to none.
std::map<std::string, DeviceCount> DevicesOf(const cluster::Cluster& cluster, const api::Node& node) {
  std::map<std::string, DeviceCount> drivers;
  const auto pools = cluster.devices.pools().For({node.meta.name, node.meta.labels});
  if (!pools) return drivers;  // A slice that is broken: the pods that want its devices are told.
  for (const cluster::ResourcePoolPtr& pool : *pools) {
    if (!pool->is_usable()) continue;
    for (const cluster::PoolSlicePtr& slice : pool->slices) {
      if (slice->node_name() != node.meta.name) continue;
      DeviceCount& count = drivers[pool->id.driver];
      for (const api::Device& device : slice->slice().devices) {
        ++count.all;
        if (cluster.devices.uses().IsAllocated(pool->id, device.name)) ++count.allocated;
      }
    }
  }
  return drivers;
}

std::string DevicesKey(const std::string& driver) { return "devices/" + driver; }

}  // namespace

void WriteNodeKind(api::JsonWriter& json, const cluster::Cluster& cluster, uint32_t i) {
  const NodeTable& nodes = cluster.nodes();
  const api::Node& node = *nodes.node[i];
  const bool names_itself = node.meta.labels.Get(cluster::kHostnameLabel) == nodes.name[i];
  json.Key("hostname").Bool(names_itself);
  json.Key("ready").Bool(IsReady(node)).Key("cordoned").Bool(node.unschedulable);
  json.Key("taints").BeginArray();
  for (const api::Taint& taint : node.taints) {
    const bool says_nothing_new = node.unschedulable && taint.key == kCordonTaintKey;
    if (!says_nothing_new && !IsOfReadiness(taint)) json.String(TaintText(taint));
  }
  json.EndArray().Key("labels").BeginObject();
  for (const auto& [key, value] : node.meta.labels) {
    if (!names_itself || key != cluster::kHostnameLabel) json.Key(key).String(value);
  }
  json.EndObject().Key("capacity").BeginObject();
  WriteAmounts(json, nodes, nodes.allocatable_cpu[i], nodes.allocatable_memory[i], nodes.allocatable_ephemeral[i],
               nodes.allocatable_pods[i], [&](const cluster::ScalarColumn& column) { return column.allocatable[i]; });
  for (const auto& [driver, count] : DevicesOf(cluster, node)) json.Key(DevicesKey(driver)).Int(count.all);
  json.EndObject();
}

void WriteNodeUse(api::JsonWriter& json, const cluster::Cluster& cluster, uint32_t i) {
  const NodeTable& nodes = cluster.nodes();
  json.Key("used").BeginObject();
  WriteAmounts(json, nodes, nodes.requested_cpu[i], nodes.requested_memory[i], nodes.requested_ephemeral[i],
               nodes.pod_count[i], [&](const cluster::ScalarColumn& column) { return column.requested[i]; });
  for (const auto& [driver, count] : DevicesOf(cluster, *nodes.node[i])) {
    if (count.allocated != 0) json.Key(DevicesKey(driver)).Int(count.allocated);
  }
  json.EndObject();
}

}  // namespace berth::explain
