// SPDX-License-Identifier: Apache-2.0
#include "conformance/kinds.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "api/decode/decode.h"
#include "api/document/json_writer.h"
#include "cluster/cluster.h"

namespace berth::conformance {
namespace {

using cluster::Cluster;
using cluster::NodeSlot;

// Runs one op; an error is the call's refusal.
Result<void> RunOp(Cluster& cluster, api::Value op) {
  const std::string_view name = op["op"].text();
  const auto node = [&](std::string_view field) { return api::DecodeNode(op[field]).value(); };
  const auto pod = [&](std::string_view field) { return cluster.MakePod(api::DecodePod(op[field]).value()); };
  if (name == "addPod") return cluster.AddPod(pod("new"));
  if (name == "updatePod") return cluster.UpdatePod(*pod("old"), pod("new"));
  if (name == "removePod") return cluster.RemovePod(*pod("old"));
  if (name == "assumePod") return cluster.AssumePod(pod("new"));
  if (name == "forgetPod" || name == "removeAssumedPod") return cluster.ForgetPod(*pod("old"));
  if (name == "removeNode") return cluster.RemoveNode(node("old"));
  if (name == "addNode") cluster.AddNode(node("new"));
  if (name == "updateNode") {
    const std::optional<api::Node> old_node = op["old"].is_map() ? std::optional(node("old")) : std::nullopt;
    cluster.UpdateNode(old_node ? &*old_node : nullptr, node("new"));
  }
  return {};
}
// The nodes of the last snapshot. Upstream copies the list of nodes and makes it anew when nodes come or go; it reports
// an error when the list has another length than the tree of zones although none did.
struct Listed {
  std::set<std::string> names;
  size_t size = 0;

  bool IsInconsistentWith(const Cluster& cluster) {
    const cluster::NodeTable& nodes = cluster.nodes();
    const size_t count = cluster.node_order().node_count();
    bool came_or_went = false;
    for (size_t row = 0; row < nodes.slot_limit(); ++row) {
      if (nodes.has_node[row]) came_or_went |= names.insert(nodes.name[row]).second;
    }
    if (names.size() > count) {
      came_or_went = true;
      std::erase_if(names, [&](const std::string& name) {
        NodeSlot slot;
        return !nodes.Find(name, slot) || !nodes.has_node[slot.index];
      });
    }
    return !came_or_went && size != count;
  }
};

class CacheWriter {
 public:
  CacheWriter(const Cluster& cluster, api::JsonWriter& json)
      : cluster_(cluster), table_(cluster.nodes()), json_(json) {}

  void State() {
    json_.Key("nodeCount").UInt(table_.row_count()).Key("treeNodes").UInt(cluster_.node_order().node_count());
    json_.Key("podCount").UInt(cluster_.pod_count());
    Strings("assumed", cluster_.assumed_uids());
    const Result<std::vector<std::string>> order = cluster_.node_order().List();
    Strings("order", order.value_or(std::vector<std::string>()));
    if (!order) json_.Key("orderError").String(order.error().message);
    std::vector<NodeSlot> rows;
    for (uint32_t row = 0; row < table_.slot_limit(); ++row) {
      if (table_.in_use[row]) rows.push_back(NodeSlot{row});
    }
    Nodes(rows);
  }
  // What a decision made now would see. `last` is what the previous one saw.
  void Snapshot(Listed& last) {
    const bool inconsistent = last.IsInconsistentWith(cluster_);
    const std::vector<NodeSlot>& order = cluster_.order();
    last.size = order.size();
    json_.Key("snapshot").BeginObject();
    if (inconsistent || order.size() != cluster_.node_order().node_count()) json_.Key("error").Bool(true);
    Strings("order", NamesIf(order, [](const cluster::NodePods&) { return true; }));
    Strings("nodesWithAffinityPods",
            NamesIf(order, [](const cluster::NodePods& pods) { return !pods.with_affinity.empty(); }));
    Strings("nodesWithRequiredAntiAffinityPods",
            NamesIf(order, [](const cluster::NodePods& pods) { return !pods.with_required_anti_affinity.empty(); }));
    Nodes(order);
    json_.EndObject();
  }

 private:
  void Nodes(const std::vector<NodeSlot>& rows) {
    json_.Key("nodes").BeginObject();
    for (const NodeSlot slot : rows) {
      const uint32_t row = slot.index;
      json_.Key(table_.name[row]).BeginObject().Key("hasNode").Bool(table_.has_node[row] != 0);
      Amounts(row);
      Pods(table_.pods[row]);
      json_.Key("images").BeginObject();
      for (const auto& held : cluster_.images().OfRow(slot)) {
        json_.Key(*held.name).BeginObject().Key("size").Int(held.size_bytes);
        json_.Key("nodes").UInt(cluster_.images().NodeCount(held)).EndObject();
      }
      json_.EndObject().EndObject();
    }
    json_.EndObject();
  }
  void Amounts(uint32_t row) {
    json_.Key("requested").BeginObject().Key("milliCPU").Int(table_.requested_cpu[row]);
    json_.Key("memory").Int(table_.requested_memory[row]);
    json_.Key("ephemeralStorage").Int(table_.requested_ephemeral[row]);
    json_.Key("scalar").BeginObject();
    for (const auto& [name, amount, pods] : table_.pods[row].requested_scalars) json_.Key(name->text).Int(amount);
    json_.EndObject();
    json_.EndObject().Key("nonZeroRequested").BeginObject().Key("milliCPU").Int(table_.nonzero_cpu[row]);
    json_.Key("memory").Int(table_.nonzero_memory[row]).EndObject();
    json_.Key("allocatable").BeginObject().Key("milliCPU").Int(table_.allocatable_cpu[row]);
    json_.Key("memory").Int(table_.allocatable_memory[row]);
    json_.Key("ephemeralStorage").Int(table_.allocatable_ephemeral[row]);
    json_.Key("pods").Int(table_.allocatable_pods[row]);
    json_.Key("scalar").BeginObject();
    for (const auto& [id, column] : table_.scalars()) {
      if (column.has_allocatable[row] != 0) json_.Key(column.name->text).Int(column.allocatable[row]);
    }
    json_.EndObject().EndObject();
  }
  void Pods(const cluster::NodePods& pods) {
    Strings("pods", Names(pods.pods));
    Strings("podsWithAffinity", Names(pods.with_affinity));
    Strings("podsWithRequiredAntiAffinity", Names(pods.with_required_anti_affinity));
    std::vector<std::string> ports;
    for (const cluster::UsedPort& used : pods.used_ports) {
      ports.push_back(fmt::format("{}/{}/{}", used.ip, used.protocol, used.port));
    }
    std::ranges::sort(ports);
    Strings("usedPorts", ports);
    json_.Key("pvcRefCounts").BeginObject();
    for (const auto& [claim, count] : pods.pvc_counts) json_.Key(claim).Int(count);
    json_.EndObject();
  }
  template <class Condition>
  std::vector<std::string> NamesIf(const std::vector<NodeSlot>& nodes, Condition condition) const {
    std::vector<std::string> names;
    for (const NodeSlot slot : nodes) {
      if (condition(table_.pods[slot.index])) names.push_back(table_.name[slot.index]);
    }
    return names;
  }
  static std::vector<std::string> Names(const std::vector<cluster::PodPtr>& pods) {
    std::vector<std::string> names;
    for (const cluster::PodPtr& pod : pods) names.push_back(pod->full_name());
    return names;
  }
  void Strings(std::string_view key, const std::vector<std::string>& values) {
    json_.Key(key).BeginArray();
    for (const std::string& value : values) json_.String(value);
    json_.EndArray();
  }

  const Cluster& cluster_;
  const cluster::NodeTable& table_;
  api::JsonWriter& json_;
};

}  // namespace

void RunCache(api::Value record, api::JsonWriter& results) {
  Cluster cluster;
  Listed listed;
  const api::Value ops = record["ops"];
  for (size_t i = 0; i < ops.size(); ++i) {
    results.BeginObject();
    if (!RunOp(cluster, ops[i])) results.Key("error").Bool(true);
    CacheWriter writer(cluster, results);
    writer.State();
    if (ops[i]["op"].text() == "snapshot") writer.Snapshot(listed);
    results.EndObject();
  }
}

}  // namespace berth::conformance
