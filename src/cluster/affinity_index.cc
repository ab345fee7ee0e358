// SPDX-License-Identifier: Apache-2.0

#include "cluster/affinity_index.h"

#include "base/assert.h"

namespace berth::cluster {

void AffinityIndex::PodAdded(NodeSlot slot, const PodInfo& pod) {
  if (!pod.pod_template->has_affinity()) return;
  Group& group = groups_[pod.pod_template->id];
  if (group.pod_template == nullptr) group.pod_template = pod.pod_template;
  group.placements.Add(slot);
}

void AffinityIndex::PodRemoved(NodeSlot slot, const PodInfo& pod) {
  if (!pod.pod_template->has_affinity()) return;
  Group* group = groups_.Edit(pod.pod_template->id);
  BERTH_ASSERT(group != nullptr);
  group->placements.Remove(slot);
  if (group->placements.empty()) groups_.Erase(pod.pod_template->id);
}

}  // namespace berth::cluster
