// SPDX-License-Identifier: Apache-2.0
// StatusPatch: the strategic merge patch that changes a pod's status, with exactly the members that upstream sends.
//
// It holds only what differs from the status that the scheduler knows. A null member means that the server shall
// remove it.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "base/time.h"

namespace berth::client {

struct StatusChange {
  std::optional<api::PodCondition> condition;      // Its lastTransitionTime is worked out.
  std::optional<std::string> nominated_node_name;  // Empty: cleared.
};

// The body of the patch, or "" if there is nothing to change. A condition whose status changes does so at `now`.
std::string StatusPatch(const std::vector<api::PodCondition>& conditions, const std::string& nominated_node_name,
                        const StatusChange& change, Time now);

// The same for a condition of a PodGroup. Empty: nothing to change.
std::string GroupStatusPatch(const std::vector<api::PodCondition>& conditions, api::PodCondition after, Time now);

}  // namespace berth::client
