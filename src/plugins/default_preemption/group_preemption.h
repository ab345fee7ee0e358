// SPDX-License-Identifier: Apache-2.0
// Preemption for a group that does not fit.
//
// All units of lower priority in the cluster are taken away, and the group is placed once. Then they are put back, as
// long as every member still fits where it was placed: first those that a disruption budget protects, in both groups
// the most important ones first. Those that cannot be put back are the victims, and the members are nominated to their
// places.
//
// Thread: core. Cost: one attempt of the group, and the filters of every placed member per unit of lower priority.

#pragma once

#include "framework/group.h"

namespace berth::plugins {

// Whether the pod is on its way out because the scheduler evicted it.
bool IsTerminatingByPreemption(const cluster::PodInfo& pod);

// `by_policy_of_root`: its preemption policy counts, not those of the pods.
framework::GroupPostFilterResult PreemptForGroup(framework::FailedGroup& group, bool by_policy_of_root,
                                                 framework::Effects& effects);

}  // namespace berth::plugins
