// SPDX-License-Identifier: Apache-2.0
// Placements: how many pods of some kind are on each node, for kinds that are on few nodes.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "cluster/tables/ids.h"

namespace berth::cluster {

class Placements {
 public:
  struct Placement {
    NodeSlot slot;
    int32_t count = 0;
  };

  bool empty() const { return placements_.empty(); }
  // Sorted by slot; counts > 0.
  auto begin() const { return placements_.begin(); }
  auto end() const { return placements_.end(); }
  int32_t count(NodeSlot slot) const {
    const auto it = std::ranges::lower_bound(placements_, slot, {}, &Placement::slot);
    return it == placements_.end() || it->slot != slot ? 0 : it->count;
  }

  void Add(NodeSlot slot) {
    auto it = std::ranges::lower_bound(placements_, slot, {}, &Placement::slot);
    if (it == placements_.end() || it->slot != slot) it = placements_.insert(it, {.slot = slot, .count = 0});
    ++it->count;
  }
  // REQUIRES: there is one.
  void Remove(NodeSlot slot) {
    const auto it = std::ranges::lower_bound(placements_, slot, {}, &Placement::slot);
    BERTH_ASSERT(it != placements_.end() && it->slot == slot);
    if (--it->count == 0) placements_.erase(it);
  }

 private:
  std::vector<Placement> placements_;
};

}  // namespace berth::cluster
