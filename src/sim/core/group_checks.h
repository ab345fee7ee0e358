// SPDX-License-Identifier: Apache-2.0
// GroupChecks: what must be true of groups of pods after every step.
//
// A gang is bound together or not at all: none of its pods is on its way to a node before enough of them have one. A
// group that waits holds nothing, and what waits on permit is given back in time. Each check returns what is wrong, or
// nothing.
//
// Cost: CheckStep looks at pods that are assumed and at the last attempt, CheckEverything at all pods, which takes
// about as long as the step that it checks.

#pragma once

#include <map>
#include <set>
#include <string>

#include "scheduler/core.h"

namespace berth::sim {

class GroupChecks {
 public:
  // REQUIRES: the core outlives this.
  explicit GroupChecks(const scheduler::Core& core) : core_(core) {}
  GroupChecks(const GroupChecks&) = delete;
  GroupChecks& operator=(const GroupChecks&) = delete;

  // After every step.
  std::string CheckStep(Time now);
  // Every pod of a group is in one place, and what is known of each group equals what the core was told.
  std::string CheckEverything() const;
  // Before an effect is carried out: no pod of a gang is bound that was not let go.
  std::string CheckEffect(const framework::Effect& effect) const;

 private:
  // Nothing waits longer than its plugin asked for.
  std::string CheckWaiting(Time now);
  // A pod that is let go has enough others of its gang on nodes.
  std::string CheckLetGo();
  // Members that hold a node do not wait in the queue.
  std::string CheckHeld() const;
  // Every member is in one place.
  std::string CheckPlaces() const;
  // The nodes that the last attempt chose hold what they were given.
  std::string CheckPlaced() const;
  // What is known of each group equals what the core was told.
  std::string CheckStates() const;
  bool IsQueued(const cluster::PodInfo& member) const;
  // Whether enough pods of the tree below a group are on nodes, assumed or reported.
  bool IsComplete(const cluster::GroupKey& key) const;

  const scheduler::Core& core_;
  std::map<std::string, Time> waiting_;  // Since when pods wait on permit, by uid.
  std::set<std::string> waits_for_gang_;
  std::set<std::string> let_go_;  // Uids of assumed pods that GangScheduling let go.
};

}  // namespace berth::sim
