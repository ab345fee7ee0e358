// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_trial.h"

#include <utility>

#include "base/assert.h"

namespace berth::cluster {

ClusterTrial::~ClusterTrial() {
  while (!removed_.empty()) Add(PodPtr(removed_.begin()->second.pod));
  for (auto& [slot, row] : rows_) cluster_.mutable_nodes().Restore(slot, std::move(row));
  for (auto& [key, state] : groups_) cluster_.groups.Restore(key, std::move(state));
}

void ClusterTrial::Save(const PodInfo& pod) {
  NodeSlot slot;
  BERTH_ASSERT(cluster_.nodes().Find(pod.node_name, slot));
  if (!rows_.contains(slot)) rows_.emplace(slot, cluster_.nodes().Save(slot));
  if (!cluster_.groups.IsMember(pod)) return;
  const GroupKey key = PodGroups::KeyOf(pod);
  if (!groups_.contains(key)) groups_.emplace(key, cluster_.groups.Save(key));
}

void ClusterTrial::Remove(const PodPtr& pod) {
  Save(*pod);
  removed_[pod->uid] = {pod, cluster_.IsAssumed(pod->uid)};
  BERTH_ASSERT(cluster_.RemovePod(*pod).has_value());
}

void ClusterTrial::Add(const PodPtr& pod) {
  const auto removed = removed_.find(pod->uid);
  BERTH_ASSERT(removed != removed_.end());
  const bool assumed = removed->second.assumed;
  removed_.erase(removed);
  BERTH_ASSERT((assumed ? cluster_.AssumePod(pod) : cluster_.AddPod(pod)).has_value());
}

}  // namespace berth::cluster
