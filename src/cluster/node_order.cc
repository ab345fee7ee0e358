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

bool NodeOrder::Zone::Add(const std::string& node) {
  if (!places_.try_emplace(node, nodes_.size()).second) return false;
  nodes_.push_back(node);
  return true;
}

bool NodeOrder::Zone::Remove(const std::string& node) {
  const auto place = places_.find(node);
  if (place == places_.end()) return false;
  nodes_[place->second].clear();
  places_.erase(place);
  if (nodes_.size() > 2 * places_.size() + 16) CloseGaps();
  return true;
}

void NodeOrder::Zone::CloseGaps() {
  std::erase(nodes_, std::string());
  for (size_t i = 0; i < nodes_.size(); ++i) places_[nodes_[i]] = i;
}

void NodeOrder::Add(const api::Node& node) {
  const std::string key = ZoneKey(node.meta.labels);
  std::vector<Zone>& zones = zones_.Edit();
  auto zone = std::ranges::find(zones, key, &Zone::key);
  if (zone == zones.end()) zone = zones.insert(zone, Zone(key));
  if (zone->Add(node.meta.name)) ++node_count_;
}

bool NodeOrder::Remove(const api::Node& node) {
  std::vector<Zone>& zones = zones_.Edit();
  const auto zone = std::ranges::find(zones, ZoneKey(node.meta.labels), &Zone::key);
  if (zone == zones.end() || !zone->Remove(node.meta.name)) return false;
  if (zone->size() == 0) zones.erase(zone);
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
  std::vector<size_t> next(zones_->size());  // By zone.
  while (names.size() < node_count_) {
    const size_t before = names.size();
    for (size_t i = 0; i < next.size(); ++i) {
      const std::vector<std::string>& nodes = (*zones_)[i].nodes();
      while (next[i] < nodes.size() && nodes[next[i]].empty()) ++next[i];
      if (next[i] < nodes.size()) names.push_back(nodes[next[i]++]);
    }
    if (names.size() == before) {
      return Fail(Code::kInternal, "all zones exhausted before reaching count of nodes expected");
    }
  }
  return names;
}

}  // namespace berth::cluster
