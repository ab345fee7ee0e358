// SPDX-License-Identifier: Apache-2.0
// Expand: does what the workload controllers would do, makes the pods that are missing.
//
// Pods in the input that a controller owns count, so a dump of a running cluster gains only what it lacks. A Deployment
// makes a ReplicaSet, unless the input has one of its own. A StatefulSet also makes its claims, a DaemonSet one pod
// for each node that should run it.

#pragma once

#include <cstdint>
#include <vector>

#include "app/simulate/world.h"
#include "base/result.h"

namespace berth::simulate {

// How many pods the workloads of a simulation, or one entry of its timeline, may make.
inline constexpr int64_t kPodsMax = 1'000'000;

// Fails if there would be more, and names the workload with which there would.
Result<void> Expand(World& world);

// The claims of the pod's generic ephemeral volumes. They belong to the pod. REQUIRES: the pod has its name and uid.
std::vector<api::PersistentVolumeClaim> EphemeralClaims(const PodSource& pod);

// The pod that the controller makes after `pod`, which it owned, has gone: with a new name, except in a StatefulSet.
PodSource Replacement(const PodSource& pod, NameGenerator& names);

}  // namespace berth::simulate
