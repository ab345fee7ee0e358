// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_binder/default_binder.h"

namespace berth::plugins {

framework::Status DefaultBinder::Bind(framework::Cycle& cycle, cluster::NodeSlot node,
                                      framework::Effects& effects) const {
  effects.push_back(framework::BindPod{.pod = cycle.pod_ptr(), .node_name = cycle.nodes().name[node.index]});
  return framework::Status::Success();
}

}  // namespace berth::plugins
