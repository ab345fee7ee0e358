// SPDX-License-Identifier: Apache-2.0
// PodGroup: pods that are scheduled together; CompositePodGroup: groups that are.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/meta.h"
#include "api/objects/pod.h"

namespace berth::api {

// What both kinds say about how they are scheduled.
struct GroupSpec {
  std::optional<int32_t> min_count;  // Members (of a composite group: children) that must be placed; absent: basic.
  std::optional<int32_t> priority;
  bool is_disrupted_as_one = false;         // disruptionMode is all: its pods are evicted together or not at all.
  std::optional<std::string> topology_key;  // All pods go to nodes that have the same value of this label.
  std::string preemption_policy;
  std::optional<std::string> parent;  // parentCompositePodGroupName.

  bool operator==(const GroupSpec&) const = default;
};

struct PodGroup {
  ObjectMeta meta;
  GroupSpec spec;
  std::vector<PodResourceClaim> claims;  // spec.resourceClaims.
  std::vector<PodCondition> conditions;  // status.
  std::vector<PodResourceClaimStatus> claim_statuses;

  const PodCondition* Condition(std::string_view type) const {
    for (const PodCondition& condition : conditions) {
      if (condition.type == type) return &condition;
    }
    return nullptr;
  }
  bool operator==(const PodGroup&) const = default;
};

struct CompositePodGroup {
  ObjectMeta meta;
  GroupSpec spec;

  bool operator==(const CompositePodGroup&) const = default;
};

}  // namespace berth::api
