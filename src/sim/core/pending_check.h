// SPDX-License-Identifier: Apache-2.0
// What waits although it fits, in a cluster that is at rest.

#pragma once

#include <string>
#include <vector>

#include "api/objects/object.h"
#include "scheduler/core.h"

namespace berth::sim {

// Tries every group, and every pod that has none, of those that the core lets wait, on copies of what the API server
// has. Returns the first of which a pod fits, or nothing.
//
// What the core remembers counts as it does there. A nomination holds its room even where the server has not heard of
// it, because nobody repeats a patch that was lost, and also for a pod whose group has gone meanwhile. A group that
// made room is left out while it lies where its preemption put it: if those who turned its pods down do not ask for
// pods that leave, nothing but its time wakes it. Members are tried in the order in which they are queued, because they
// are placed one after the other: what fits in another order may wait. So may what fits with another choice among
// equals (a claim that members share goes with the first of them), and the copies choose as the core does.
std::string FindWhatFits(const scheduler::Core& core, std::vector<api::Object> objects);

}  // namespace berth::sim
