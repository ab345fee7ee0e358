// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/taint_match.h"

#include <algorithm>

namespace berth::plugins {

bool ToleratesTaints(const std::vector<api::Toleration>& tolerations, const std::vector<api::Taint>& taints,
                     bool comparison_operators) {
  return std::all_of(taints.begin(), taints.end(), [&](const api::Taint& taint) {
    const bool keeps_away = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return !keeps_away || api::Tolerates(tolerations, taint, comparison_operators);
  });
}

TaintMatch::TaintMatch(const std::vector<api::Toleration>& tolerations, bool comparison_operators,
                       const cluster::NodeTable& nodes)
    : nodes_(nodes), tolerated_(nodes.taint_sets().id_limit(), 1) {
  for (uint32_t id = 0; id < tolerated_.size(); ++id) {
    const std::vector<api::Taint>* taints = nodes.taint_sets().value(id);
    if (taints == nullptr || ToleratesTaints(tolerations, *taints, comparison_operators)) continue;
    tolerated_[id] = 0;
    tolerates_all_ = false;
  }
}

}  // namespace berth::plugins
