// SPDX-License-Identifier: Apache-2.0
// Whether the cluster as a whole has what a group asks for at least.

#pragma once

#include <string>

#include "cluster/cluster.h"

namespace berth::plugins {

// What is missing, such as "cpu: 500m, pods: 2"; empty: nothing is. What the group's own pods hold counts as free.
// REQUIRES: the group asks for something.
std::string ResourceGap(const api::CoscheduledGroup& object, const cluster::CoscheduledPods::Group& group,
                        const cluster::Cluster& cluster);

}  // namespace berth::plugins
