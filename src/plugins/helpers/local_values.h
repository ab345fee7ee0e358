// SPDX-License-Identifier: Apache-2.0
// LocalValues: small numbers that depend on what a pod needs and on one node (a score, or whether it fits), remembered
// and repaired.
//
// Pods of one kind ask for the same values again and again, and between two of them only few nodes change. The values
// are kept per distinct need; when they are asked for again, only the nodes that changed since are looked at. What is
// kept is exact: it equals a full scan, which debug builds check.
//
// Thread: core. Cost: one byte per node and need; the least recently used need is dropped at the limit.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/assert.h"
#include "cluster/node_table.h"
#include "framework/cycle.h"

namespace berth::plugins {

class LocalValues {
 public:
  // Values by slot, 0 to 100. `need` identifies what `value(slot)` depends on besides the row; `value` must not depend
  // on anything else. The array is valid until the next call.
  template <class Value>
  const uint8_t* Get(std::span<const int64_t> need, const cluster::NodeTable& nodes, Value value) {
    Entry& entry = Find(need);
    // Absurd amounts overflow to values out of range.
    const auto byte = [&](cluster::NodeSlot slot) {
      return static_cast<uint8_t>(std::clamp<int64_t>(value(slot), 0, 100));
    };
    const auto update = [&](cluster::NodeSlot slot) { entry.values[slot.index] = byte(slot); };
    const bool repaired = entry.values.size() == nodes.slot_limit() && nodes.VisitChanges(entry.seen, update);
    if (!repaired) {
      entry.values.resize(nodes.slot_limit());
      for (uint32_t i = 0; i < entry.values.size(); ++i) update({i});
    }
    entry.seen = nodes.change_count();
#ifdef BERTH_CHECKS
    for (uint32_t i = 0; i < entry.values.size(); ++i) BERTH_ASSERT(entry.values[i] == byte({i}));
#endif
    return entry.values.data();
  }

 private:
  struct Entry {
    std::vector<int64_t> need;
    std::vector<uint8_t> values;
    uint64_t seen = 0;  // Changes of the table that are taken into account.
    uint64_t last_use = 0;
  };
  static constexpr size_t kEntriesMax = 64;

  Entry& Find(std::span<const int64_t> need);

  std::vector<std::unique_ptr<Entry>> entries_;
  uint64_t clock_ = 0;
};

// What a plugin that looks at resources keeps from one cycle to the next (Cycle::kept).
struct KeptValues final : framework::PluginState {
  LocalValues fits;
  LocalValues scores;
};

}  // namespace berth::plugins
