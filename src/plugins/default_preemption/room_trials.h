// SPDX-License-Identifier: Apache-2.0
// RoomTrials: dry runs of preemption by arithmetic, where all that stands in the way is room.
//
// If no filter minds the pods on a node but for what they request, whether the pod of the cycle fits beside some of
// them, and beside those that are nominated to the node, is a matter of adding up. Nothing is tried out then, and
// nothing is filtered again. Where more is at stake, as on nodes with pods of groups, the dry run with filters has to
// tell (dry_run.h). Both come to the same result.
//
// Thread: core. Cost: one run of the filters over all nodes; then a look at each pod of a node.

#pragma once

#include <expected>
#include <optional>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "framework/preemption.h"
#include "framework/profile.h"
#include "plugins/default_preemption/disruption_budgets.h"
#include "plugins/default_preemption/kept_pods.h"

namespace berth::plugins {

class RoomTrials {
 public:
  // For `nodes`. REQUIRES: everything outlives this, and the cluster does not change.
  RoomTrials(const framework::Profile& profile, framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
             DisruptionBudgets& budgets, KeptPods& kept);

  using Outcome = std::expected<framework::PreemptionCandidate, framework::Status>;
  // The node as a candidate, or why preemption does not help there. Absent: that takes filters. Without
  // `names_violating` a candidate that overdraws a budget has no victims: nobody wants to know them.
  std::optional<Outcome> Try(cluster::NodeSlot node, bool names_violating = true);

 private:
  // The pods that may have to go. False if some pod belongs to a group.
  bool FindVictims(cluster::NodeSlot node);
  // Takes up room for the pods that are nominated to the node, if the pod of the cycle must give way to them. False if
  // their requests are absurd.
  bool AddRivals(cluster::NodeSlot node);
  // False if requests are absurd.
  bool TakeVictimsAway();
  bool Fits() const;
  // Puts the victim back if the pod of the cycle still fits then.
  bool PutBack(size_t victim);
  framework::Status WhyNot() const;
  framework::PreemptionCandidate MakeCandidate(cluster::NodeSlot node, bool names_violating);

  framework::Cycle& cycle_;
  DisruptionBudgets& budgets_;
  KeptPods& kept_;
  const framework::FilterPlugin* room_ = nullptr;  // nullptr: filters have to tell everywhere.
  std::vector<uint8_t> passes_;                    // By slot: all other filters let the node pass.
  boost::unordered_flat_map<uint32_t, const std::vector<cluster::PodPtr>*> nominated_;  // By slot.
  // Of the node that is being looked at.
  std::vector<framework::MissingRoom> missing_;
  std::span<const KeptPods::Pod> victims_;
  std::vector<int64_t> amounts_;    // What each victim takes up of each that is in missing_.
  std::vector<int64_t> lacking_;    // MissingRoom::amount of each, as victims go and come.
  std::vector<uint8_t> overdrawn_;  // By victim.
  std::vector<size_t> leaving_;     // Victims that have to go.
};

}  // namespace berth::plugins
