// SPDX-License-Identifier: Apache-2.0

#include "cluster/pods_by_label.h"

#include <algorithm>

#include "base/hash.h"

namespace berth::cluster {
namespace {

uint64_t HashInNamespace(std::string_view ns, std::string_view value) {
  return HashBytes(value, MixHash(HashBytes(ns)));
}

}  // namespace

void PodsByLabel::Column::Change(NodeSlot slot, const PodInfo& pod, int32_t amount) {
  const std::string* value = pod.labels().Find(key);
  if (value == nullptr) return;
  const auto it = nodes.try_emplace(HashInNamespace(pod.ns(), *value)).first;
  it->second.Edit().Change(slot.index, amount);
  if (it->second->size() == 0) nodes.erase(it);
}

std::optional<std::vector<NodeSlot>> PodsByLabel::NodesFor(const SelectorReach& reach, const NodeTable& nodes) {
  if (reach.all_namespaces) return std::nullopt;
  std::shared_ptr<const Column> best;  // Holds what was found while others are asked for.
  std::vector<const Counts*> best_found;
  size_t least = 0;
  for (const api::Selector& selector : reach.selectors) {
    for (const api::Selector::Requirement& requirement : selector.requirements()) {
      const size_t lookups = requirement.values.size() * reach.namespaces.size();
      if (requirement.op != api::Selector::Op::kIn || lookups > kLookupsMax) continue;
      std::shared_ptr<const Column> column = ColumnOf(requirement.key, nodes);
      std::vector<const Counts*> found;
      size_t size = 0;
      for (const std::string& ns : reach.namespaces) {
        for (const std::string& value : requirement.values) {
          const auto it = column->nodes.find(HashInNamespace(ns, value));
          if (it == column->nodes.end()) continue;
          found.push_back(&*it->second);
          size += it->second->size();
        }
      }
      if (best != nullptr && size >= least) continue;
      best = std::move(column);
      best_found = std::move(found);
      least = size;
    }
  }
  if (best == nullptr) return std::nullopt;
  std::vector<NodeSlot> slots;
  for (const Counts* counts : best_found) {
    counts->ForEach([&](uint32_t slot, int32_t) { slots.push_back(NodeSlot{slot}); });
  }
  std::ranges::sort(slots);
  const auto repeated = std::ranges::unique(slots);
  slots.erase(repeated.begin(), repeated.end());
  return slots;
}

std::shared_ptr<const PodsByLabel::Column> PodsByLabel::ColumnOf(const std::string& key, const NodeTable& nodes) {
  return columns_.Get(key, [&] {
    auto made = std::make_shared<Column>();
    made->key = key;
    for (uint32_t i = 0; i < nodes.slot_limit(); ++i) {
      for (const PodPtr& pod : nodes.pods[i].pods) made->Change(NodeSlot{i}, *pod, 1);
    }
    return made;
  });
}

void PodsByLabel::Change(NodeSlot slot, const PodInfo& pod, int32_t amount) {
  columns_.ForEach([&](Column& column) { column.Change(slot, pod, amount); });
}

size_t PodsByLabel::bytes() const {
  size_t bytes = 0;
  columns_.ForEach([&](const Column& column) {
    bytes += column.nodes.bucket_count() * sizeof(*column.nodes.begin());
    for (const auto& [hash, counts] : column.nodes) bytes += counts->bytes();
  });
  return bytes;
}

}  // namespace berth::cluster
