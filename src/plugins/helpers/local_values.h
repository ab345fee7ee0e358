// SPDX-License-Identifier: Apache-2.0
// LocalValues: numbers that depend on what a pod needs and on one node (a score, or whether it fits), remembered
// and repaired.
//
// Pods of one kind ask for the same values again and again, and between two of them only few nodes change. The values
// are kept per distinct need; when they are asked for again, only the nodes that changed since are looked at. What is
// kept is exact: it equals a full scan, which debug builds check.
//
// Thread: core. Cost: one number per node and need; the least recently used need is dropped at the limit.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/assert.h"
#include "cluster/node_table.h"
#include "framework/cycle.h"
#include "plugins/helpers/node_tiles.h"

namespace berth::plugins {

template <class Number>
class LocalValues {
 public:
  // Values by slot. `need` identifies what `value(slot)` depends on besides the row; `value` must not depend on
  // anything else. The array is valid until the next call.
  template <class Value>
  const Number* Get(std::span<const int64_t> need, const cluster::NodeTable& nodes, Value value) {
    return Get(need, nodes, value, [](uint32_t, Number*) { return false; });
  }
  // `tile(first, numbers)` writes the values of kTile slots from `first` on, or returns false.
  template <class Value, class Tile>
  const Number* Get(std::span<const int64_t> need, const cluster::NodeTable& nodes, Value value, Tile tile) {
    Entry& entry = Find(need);
    const auto update = [&](cluster::NodeSlot slot) { entry.values[slot.index] = value(slot); };
    const bool repaired = entry.values.size() == nodes.slot_limit() && nodes.VisitChanges(entry.seen, update);
    if (!repaired) {
      entry.values.resize(nodes.slot_limit());
      const auto limit = static_cast<uint32_t>(entry.values.size());
      for (uint32_t first = 0; first < limit; first += kTile) {
        if (first + kTile <= limit && tile(first, entry.values.data() + first)) continue;
        for (uint32_t i = first; i < std::min(first + kTile, limit); ++i) update({i});
      }
    }
    entry.seen = nodes.change_count();
#ifdef BERTH_CHECKS
    for (uint32_t i = 0; i < entry.values.size(); ++i) BERTH_ASSERT(entry.values[i] == value({i}));
#endif
    return entry.values.data();
  }

  // Whether values are kept for this need.
  bool Has(std::span<const int64_t> need) const {
    return std::ranges::any_of(entries_, [&](const auto& entry) { return std::ranges::equal(entry->need, need); });
  }

 private:
  struct Entry {
    std::vector<int64_t> need;
    std::vector<Number> values;
    uint64_t seen = 0;  // Changes of the table that are taken into account.
    uint64_t last_use = 0;
  };
  static constexpr size_t kEntriesMax = 64;

  Entry& Find(std::span<const int64_t> need) {
    ++clock_;
    for (const auto& entry : entries_) {
      if (!std::ranges::equal(entry->need, need)) continue;
      entry->last_use = clock_;
      return *entry;
    }
    if (entries_.size() < kEntriesMax) entries_.push_back(std::make_unique<Entry>());
    // The new one, which nobody has used, or the least recently used one.
    Entry& made = **std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry->last_use; });
    made.need.assign(need.begin(), need.end());
    made.values.clear();
    made.last_use = clock_;
    return made;
  }

  std::vector<std::unique_ptr<Entry>> entries_;
  uint64_t clock_ = 0;
};

// A score as it is kept. Absurd amounts overflow to values out of range.
inline uint8_t ScoreByte(int64_t score) { return static_cast<uint8_t>(std::clamp<int64_t>(score, 0, 100)); }

// What a plugin that looks at resources keeps from one cycle to the next (Cycle::kept).
struct KeptValues final : framework::PluginState {
  LocalValues<uint8_t> fits;
  LocalValues<uint8_t> scores;
  LocalValues<uint8_t> scores_without_pod;  // Where a score is compared with that of the node as it is.
  LocalValues<double> rough_scores;         // See ScorePlugin::NarrowTie.
};

}  // namespace berth::plugins
