// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"
#include "framework/profile.h"

namespace berth::framework {

NodeTrial::NodeTrial(const Profile& profile, Cycle& cycle, NodeSlot node)
    : profile_(profile), cycle_(cycle), node_(node), saved_(cycle.nodes().Save(node)) {}

NodeTrial::~NodeTrial() {
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    // The extension accepted the change, so it accepts its reverse.
    const Status undone = change->added ? profile_.RunRemovePod(cycle_, *change->pod, change->node)
                                        : profile_.RunAddPod(cycle_, *change->pod, change->node);
    BERTH_DASSERT(undone.ok());
  }
  cycle_.mutable_cluster().mutable_nodes().Restore(node_, std::move(saved_));
}

Status NodeTrial::Add(const cluster::PodPtr& pod, NodeSlot node) {
  if (node == node_) cycle_.mutable_cluster().mutable_nodes().AddPod(node, pod);
  Status status = profile_.RunAddPod(cycle_, *pod, node);
  if (status.ok()) changes_.push_back({pod, node, true});
  return status;
}

Status NodeTrial::Remove(const cluster::PodPtr& pod, NodeSlot node) {
  if (node == node_) cycle_.mutable_cluster().mutable_nodes().RemovePod(node, *pod);
  Status status = profile_.RunRemovePod(cycle_, *pod, node);
  if (status.ok()) changes_.push_back({pod, node, false});
  return status;
}

}  // namespace berth::framework
