// SPDX-License-Identifier: Apache-2.0
#include "explain/node_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace berth::explain {

Result<NodeListing> ListNode(const scheduler::Core& core, const std::string& node, size_t limit) {
  const cluster::NodeTable& nodes = core.cluster().nodes();
  cluster::NodeSlot slot;
  if (!nodes.Find(node, slot) || nodes.has_node[slot.index] == 0) {
    return Fail(Code::kNotFound, fmt::format("node {}: not found", node));
  }
  std::vector<cluster::PodPtr> pods = nodes.pods[slot.index].pods;
  std::ranges::sort(pods, {}, [](const cluster::PodPtr& pod) { return std::tie(pod->ns(), pod->name); });
  NodeListing answer{.node = node, .count = pods.size(), .pods = {}};
  if (pods.size() > limit) pods.resize(limit);
  for (const cluster::PodPtr& pod : pods) {
    const api::OwnerReference& owner = pod->pod_template->controller;
    answer.pods.push_back({.ns = pod->ns(),
                           .name = pod->name,
                           .owner = owner.kind.empty() ? "" : fmt::format("{} {}", owner.kind, owner.name),
                           .priority = pod->priority(),
                           .requests = pod->requests()});
  }
  return answer;
}

void WriteNodeListing(api::JsonWriter& json, const NodeListing& answer) {
  json.BeginObject().Key("node").String(answer.node).Key("podCount").UInt(answer.count).Key("pods").BeginArray();
  for (const NodeListing::Pod& pod : answer.pods) {
    json.BeginObject().Key("namespace").String(pod.ns).Key("name").String(pod.name).Text("owner", pod.owner);
    json.Key("priority").Int(pod.priority).Key("requests").BeginObject();
    const auto amount = [&](std::string_view name, int64_t value) {
      if (value != 0) json.Key(name).Int(value);
    };
    amount("cpu", pod.requests.cpu_milli);
    amount("memory", pod.requests.memory_bytes);
    amount("ephemeral-storage", pod.requests.ephemeral_bytes);
    for (const auto& [name, value] : pod.requests.scalars) amount(name->text, value);
    json.EndObject().EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace berth::explain
