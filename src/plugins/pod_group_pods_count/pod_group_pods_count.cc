// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_group_pods_count/pod_group_pods_count.h"

#include <algorithm>

namespace berth::plugins {

using framework::Status;

Status PodGroupPodsCount::ScorePlacement(const framework::GroupNode& group, const framework::Placement&,
                                         std::span<const framework::ProposedAssignment> assignments,
                                         const cluster::Cluster& cluster, int64_t& score) const {
  size_t count = assignments.size();
  cluster.groups.ForEachLeaf(group.key, [&](const cluster::GroupKey&, const cluster::PodGroupState& state) {
    count += state.scheduled_count();
  });
  score = static_cast<int64_t>(count);
  return Status::Success();
}

Status PodGroupPodsCount::NormalizePlacements(std::vector<int64_t>& scores) const {
  const int64_t most = scores.empty() ? 0 : std::ranges::max(scores);
  if (most == 0) {
    return Status::Error("no pods from pod group are assigned to any of the candidate placements");
  }
  for (int64_t& score : scores) score = score * framework::kMaxNodeScore / most;
  return Status::Success();
}

}  // namespace berth::plugins
