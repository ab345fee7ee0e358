// SPDX-License-Identifier: Apache-2.0
// What pods must have in common to be scheduled as a group.

#pragma once

#include <string>

#include "cluster/cluster.h"
#include "framework/group.h"
#include "scheduler/assembly.h"

namespace berth::scheduler {

struct GroupRules {
  bool preemption_policy = false;  // Gate PodGroupPreemptionPolicy: the root's counts, not that of the first pod.
};

// Looks at the pods that wait, then at those that have a node. Returns upstream's text for the first offence, or
// nothing.
std::string ValidateGroup(const framework::GroupNode& root, const cluster::Cluster& cluster, const Profiles& profiles,
                          GroupRules rules);

}  // namespace berth::scheduler
