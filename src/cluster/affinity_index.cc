// SPDX-License-Identifier: Apache-2.0

#include "cluster/affinity_index.h"

#include <algorithm>

#include "base/assert.h"

namespace berth::cluster {

void AffinityIndex::PodAdded(NodeSlot slot, const PodInfo& pod) {
  if (!pod.pod_template->has_affinity()) return;
  Group& group = groups_[pod.pod_template->id];
  if (group.pod_template == nullptr) group.pod_template = pod.pod_template;
  auto it = std::ranges::lower_bound(group.placements, slot, {}, &Placement::slot);
  if (it == group.placements.end() || it->slot != slot) it = group.placements.insert(it, {.slot = slot, .count = 0});
  ++it->count;
}

void AffinityIndex::PodRemoved(NodeSlot slot, const PodInfo& pod) {
  if (!pod.pod_template->has_affinity()) return;
  const auto group = groups_.find(pod.pod_template->id);
  BERTH_ASSERT(group != groups_.end());
  std::vector<Placement>& placements = group->second.placements;
  const auto it = std::ranges::lower_bound(placements, slot, {}, &Placement::slot);
  BERTH_ASSERT(it != placements.end() && it->slot == slot);
  if (--it->count == 0) placements.erase(it);
  if (placements.empty()) groups_.erase(group);
}

}  // namespace berth::cluster
