// SPDX-License-Identifier: Apache-2.0
// NoDiskConflict.

#include <algorithm>

#include "plugins/legacy/v116/volume_counts.h"
#include "plugins/volume_restrictions/volume_restrictions.h"

namespace berth::plugins::legacy::v116 {
namespace {

bool SharesDisk(const cluster::PodInfo& pod, const cluster::PodPtr& other) {
  return std::ranges::any_of(pod.spec().volumes, [&](const api::Volume& volume) {
    return std::ranges::any_of(other->spec().volumes,
                               [&](const api::Volume& taken) { return DisksConflict(volume, taken); });
  });
}

}  // namespace

void NoDiskConflict::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const cluster::PodInfo& pod = cycle.pod();
  if (pod.spec().volumes.empty()) return;
  candidates.RejectIf(framework::StatusCode::kUnschedulable, kReason, [&](cluster::NodeSlot slot) {
    return std::ranges::any_of(cycle.nodes().pods[slot.index].pods,
                               [&](const cluster::PodPtr& other) { return SharesDisk(pod, other); });
  });
}

}  // namespace berth::plugins::legacy::v116
