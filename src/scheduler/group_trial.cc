// SPDX-License-Identifier: Apache-2.0
#include "scheduler/group_trial.h"

#include <utility>

#include "base/assert.h"

namespace berth::scheduler {

cluster::PodPtr BarePod(cluster::Cluster& cluster, const cluster::PodInfo& pod) {
  api::Pod bare;
  bare.meta.ns = pod.ns();
  bare.meta.name = pod.name;
  bare.meta.uid = pod.uid;
  bare.spec.scheduling_group = pod.spec().scheduling_group;
  return cluster.MakePod(std::move(bare));
}

framework::Status GroupTrial::Add(const MemberResult& member) {
  Step step{.assumed = cluster::PodCatalog::WithNode(*member.pod, member.node_name),
            .cycle = member.cycle.get(),
            .node = member.node};
  if (const Result<void> assumed = cluster_.AssumePod(step.assumed); !assumed) {
    return framework::Status::Error(assumed.error().message);
  }
  cluster_.nominated.Remove(member.pod->uid);
  framework::Effects none;  // Nothing was written for the member, so there is nothing to take back in the world.
  framework::Status reserved = profile_.RunReserve(*step.cycle, step.node, none);
  if (reserved.ok()) {
    steps_.push_back(std::move(step));
  } else {
    Undo(step);
  }
  return reserved;
}

void GroupTrial::UndoTo(size_t size) {
  for (; steps_.size() > size; steps_.pop_back()) {
    framework::Effects none;
    profile_.RunUnreserve(*steps_.back().cycle, steps_.back().node, none);
    Undo(steps_.back());
  }
}

void GroupTrial::Undo(const Step& step) {
  BERTH_ASSERT(cluster_.ForgetPod(*step.assumed).has_value());
  const cluster::PodInfo& pod = step.cycle->pod();
  if (!pod.nominated_node_name.empty()) cluster_.nominated.Set(BarePod(cluster_, pod), pod.nominated_node_name);
}

}  // namespace berth::scheduler
