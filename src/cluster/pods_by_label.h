// SPDX-License-Identifier: Apache-2.0
// PodsByLabel: on which nodes pods with a given label are, for label keys that are asked for.
//
// A key is scanned for when it is first asked for, and follows the pods while it is asked for again. A copy has the
// same keys, and shares with the original where the pods of a value are until either changes it.
//
// Thread: core. Cost: one lookup per pod and key that is kept; room by the values of these keys and where they are; of
// a copy a pointer for each value.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/copy_on_write.h"
#include "cluster/node_table.h"
#include "cluster/selector_index.h"
#include "cluster/tables/counts.h"
#include "cluster/tables/recent_values.h"

namespace berth::cluster {

class PodsByLabel {
 public:
  PodsByLabel() = default;
  PodsByLabel(const PodsByLabel& other) { columns_.CopyValues(other.columns_); }
  PodsByLabel& operator=(const PodsByLabel&) = delete;

  // The nodes that can have pods within `reach`, each once; absent: any can.
  std::optional<std::vector<NodeSlot>> NodesFor(const SelectorReach& reach, const NodeTable& nodes);

  void PodAdded(NodeSlot slot, const PodInfo& pod) { Change(slot, pod, 1); }
  void PodRemoved(NodeSlot slot, const PodInfo& pod) { Change(slot, pod, -1); }

  size_t size() const { return columns_.size(); }
  size_t bytes() const;

 private:
  static constexpr size_t kKeysMax = 32;
  static constexpr size_t kLookupsMax = 64;  // Namespaces times values. More of them are not looked up one by one.

  struct Column {
    std::string key;
    // By the hash of namespace and value; two of them may share one.
    boost::unordered_flat_map<uint64_t, CopyOnWrite<Counts>> nodes;

    void Change(NodeSlot slot, const PodInfo& pod, int32_t amount);
  };

  void Change(NodeSlot slot, const PodInfo& pod, int32_t amount);
  std::shared_ptr<const Column> ColumnOf(const std::string& key, const NodeTable& nodes);

  RecentValues<Column> columns_{kKeysMax};
};

}  // namespace berth::cluster
