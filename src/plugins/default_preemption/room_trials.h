// SPDX-License-Identifier: Apache-2.0
// RoomTrials: dry runs of preemption by arithmetic, where all that stands in the way is room.
//
// If no filter minds the pods on a node but for what they request, whether the pod of the cycle fits beside some of
// them is a matter of adding up. Nothing is tried out then, and nothing is filtered again. Where more is at stake, on
// nodes with nominated pods or with pods of groups, the dry run with filters has to tell (dry_run.h). Both come to the
// same result.
//
// Thread: core. Cost: one run of the filters over all nodes; then the pods of a node, sorted.

#pragma once

#include <expected>
#include <optional>
#include <span>
#include <vector>

#include "framework/preemption.h"
#include "framework/profile.h"
#include "plugins/default_preemption/disruption_budgets.h"

namespace berth::plugins {

class RoomTrials {
 public:
  // For `nodes`. REQUIRES: everything outlives this, and the cluster does not change.
  RoomTrials(const framework::Profile& profile, framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
             DisruptionBudgets& budgets);

  using Outcome = std::expected<framework::PreemptionCandidate, framework::Status>;
  // The node as a candidate, or why preemption does not help there. Absent: that takes filters.
  std::optional<Outcome> Try(cluster::NodeSlot node);

 private:
  // A pod of lower priority.
  struct Victim {
    const cluster::PodPtr* pod = nullptr;
    int32_t priority = 0;
    Time start;
  };

  // False if some pod belongs to a group.
  bool FindVictims(cluster::NodeSlot node);
  // Takes the pod away. False if its requests are absurd: they might overflow.
  bool Remove(const cluster::PodInfo& pod);
  void Add(const cluster::PodInfo& pod);
  bool Fits() const;
  bool FitsWith(const cluster::PodInfo& pod) const;
  framework::Status WhyNot() const;
  framework::PreemptionCandidate MakeCandidate(cluster::NodeSlot node);

  framework::Cycle& cycle_;
  DisruptionBudgets& budgets_;
  const framework::FilterPlugin* room_ = nullptr;  // nullptr: filters have to tell everywhere.
  std::vector<uint8_t> passes_;                    // By slot: all other filters let the node pass.
  // Of the node that is being looked at.
  std::vector<framework::MissingRoom> missing_;
  std::vector<Victim> victims_;
};

}  // namespace berth::plugins
