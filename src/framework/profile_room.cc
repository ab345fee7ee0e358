// SPDX-License-Identifier: Apache-2.0
// Which filters of a profile mind the pods on a node, and how.

#include "framework/profile.h"

namespace berth::framework {

const FilterPlugin* Profile::RoomFilter(const Cycle& cycle) const {
  const FilterPlugin* room = nullptr;
  for (const auto& [at, error] : filter_) {
    if (cycle.skip_filter()[at.plugin->index()]) continue;
    const PodInfluence influence = at.point->influence_of_pods(cycle);
    if (!error.empty() || influence == PodInfluence::kAny) return nullptr;
    if (influence == PodInfluence::kNone) continue;
    if (room != nullptr) return nullptr;
    room = at.point;
  }
  return room;
}

void Profile::RunFiltersWithoutPods(Cycle& cycle, Candidates& candidates) const {
  for (const FilterEntry& entry : filter_) {
    if (candidates.empty()) return;
    if (cycle.skip_filter()[entry.at.plugin->index()]) continue;
    if (entry.at.point->influence_of_pods(cycle) != PodInfluence::kNone) continue;
    if (!RunFilter(entry, cycle, candidates)) return;
  }
}

}  // namespace berth::framework
