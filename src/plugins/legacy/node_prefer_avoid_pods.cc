// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/node_prefer_avoid_pods.h"

#include <algorithm>

#include "plugins/legacy/prefer_avoid.h"

namespace berth::plugins::legacy {

Result<std::unique_ptr<framework::Plugin>> NodePreferAvoidPods::Create(const framework::PluginContext&) {
  return std::make_unique<NodePreferAvoidPods>();
}

framework::Status NodePreferAvoidPods::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                                             framework::Scores& scores) const {
  const api::OwnerReference& controller = cycle.pod().pod_template->controller;
  const auto is_avoided = [&](cluster::NodeSlot slot) {
    return IsAvoided(controller, cycle.nodes().node[slot.index]->meta.annotations);
  };
  std::ranges::transform(nodes, scores.MakeArray(nodes.size()).begin(),
                         [&](cluster::NodeSlot slot) { return is_avoided(slot) ? 0 : framework::kMaxNodeScore; });
  return framework::Status::Success();
}

}  // namespace berth::plugins::legacy
