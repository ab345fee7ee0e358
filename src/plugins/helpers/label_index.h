// SPDX-License-Identifier: Apache-2.0
// LabelIndex: finds the first of many items whose condition on labels a node meets, without asking every item.
//
// Local volumes and storage capacities come as one item per node, each for one value of a label. Such items are kept by
// that value; only items without such a condition are asked for every node.
//
// Cost: a lookup per distinct key, plus the items that share the node's value.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/parts/labels.h"
#include "api/parts/selector.h"
#include "cluster/tables/string_map.h"

namespace berth::plugins {

class LabelIndex {
 public:
  using Item = uint32_t;

  // Says that a node with `conditions` among others may match the item. An item may be added with several alternatives.
  // REQUIRES: items are added in increasing order.
  void Add(Item item, const api::Selector& conditions) {
    const auto& requirements = conditions.requirements();
    const auto in = std::ranges::find(requirements, api::Selector::Op::kIn, &api::Selector::Requirement::op);
    if (in == requirements.end()) return AddUnconditional(item);
    for (const std::string& value : in->values) Append(Key(in->key).by_value[value], item);
  }
  // Says that any node may match the item.
  void AddUnconditional(Item item) { Append(unconditional_, item); }

  // The smallest item for which `matches(item)` is true, among those that a node with `labels` may match.
  template <class Matches>
  std::optional<Item> First(const api::Labels& labels, Matches matches) const {
    std::optional<Item> first;
    const auto look = [&](const std::vector<Item>& items) {
      for (const Item item : items) {
        if (first && item >= *first) return;
        if (matches(item)) {
          first = item;
          return;
        }
      }
    };
    look(unconditional_);
    for (const KeyItems& key : keys_) {
      const std::string* value = labels.Find(key.key);
      if (value == nullptr) continue;
      const auto it = key.by_value.find(*value);
      if (it != key.by_value.end()) look(it->second);
    }
    return first;
  }

 private:
  struct KeyItems {
    std::string key;
    cluster::StringMap<std::vector<Item>> by_value;
  };

  static void Append(std::vector<Item>& items, Item item) {
    if (items.empty() || items.back() != item) items.push_back(item);
  }
  KeyItems& Key(std::string_view key) {
    const auto it = std::ranges::find(keys_, key, &KeyItems::key);
    return it != keys_.end() ? *it : keys_.emplace_back(KeyItems{std::string(key), {}});
  }

  std::vector<Item> unconditional_;
  std::vector<KeyItems> keys_;
};

}  // namespace berth::plugins
