// SPDX-License-Identifier: Apache-2.0

#include "cluster/node_order.h"

#include <algorithm>

namespace berth::cluster {
namespace {

std::string_view LabelOrOther(const api::Labels& labels, std::string_view key, std::string_view other_key) {
  const std::string* value = labels.Find(key);
  return value != nullptr ? std::string_view(*value) : labels.Get(other_key);
}

}  // namespace

std::string ZoneKey(const api::Labels& labels) {
  const std::string_view zone =
      LabelOrOther(labels, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
  const std::string_view region =
      LabelOrOther(labels, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
  if (region.empty() && zone.empty()) return "";
  std::string key(region);
  key.append(":\0:", 3);  // No label value contains the zero byte.
  key.append(zone);
  return key;
}

void NodeOrder::Add(const api::Node& node) {
  const std::string key = ZoneKey(node.meta.labels);
  std::vector<Zone>& zones = zones_.Edit();
  auto zone = std::ranges::find(zones, key, &Zone::key);
  if (zone == zones.end()) zone = zones.insert(zone, Zone{.key = key, .nodes = {}});
  if (std::ranges::find(zone->nodes, node.meta.name) != zone->nodes.end()) return;
  zone->nodes.push_back(node.meta.name);
  ++node_count_;
}

bool NodeOrder::Remove(const api::Node& node) {
  std::vector<Zone>& zones = zones_.Edit();
  const auto zone = std::ranges::find(zones, ZoneKey(node.meta.labels), &Zone::key);
  if (zone == zones.end()) return false;
  const auto name = std::ranges::find(zone->nodes, node.meta.name);
  if (name == zone->nodes.end()) return false;
  zone->nodes.erase(name);
  if (zone->nodes.empty()) zones.erase(zone);
  --node_count_;
  return true;
}

void NodeOrder::Update(const api::Node* old_node, const api::Node& new_node) {
  const std::string old_key = old_node == nullptr ? "" : ZoneKey(old_node->meta.labels);
  if (old_key == ZoneKey(new_node.meta.labels)) return;
  if (old_node != nullptr) Remove(*old_node);
  Add(new_node);
}

Result<std::vector<std::string>> NodeOrder::List() const {
  std::vector<std::string> names;
  names.reserve(node_count_);
  for (size_t round = 0; names.size() < node_count_; ++round) {
    const size_t before = names.size();
    for (const Zone& zone : *zones_) {
      if (round < zone.nodes.size()) names.push_back(zone.nodes[round]);
    }
    if (names.size() == before) {
      return Fail(Code::kInternal, "all zones exhausted before reaching count of nodes expected");
    }
  }
  return names;
}

}  // namespace berth::cluster
