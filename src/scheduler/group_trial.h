// SPDX-License-Identifier: Apache-2.0
// GroupTrial: members of a group on the nodes that they would get, and back.
//
// A member that is tried out counts on its node like an assumed pod and holds what Reserve plugins keep for it, so that
// the next ones see it. What was done last is taken back first. Everything is as before when the trial goes out of
// scope.
//
// Thread: core. Cost: as that of assuming and forgetting the members.

#pragma once

#include <vector>

#include "framework/profile.h"
#include "scheduler/group_result.h"

namespace berth::scheduler {

// The pod as others see its nomination while it is being scheduled with its group: that it exists, and nothing else.
cluster::PodPtr BarePod(cluster::Cluster& cluster, const cluster::PodInfo& pod);

class GroupTrial {
 public:
  GroupTrial(const framework::Profile& profile, cluster::Cluster& cluster) : profile_(profile), cluster_(cluster) {}
  ~GroupTrial() { UndoTo(0); }
  GroupTrial(const GroupTrial&) = delete;
  GroupTrial& operator=(const GroupTrial&) = delete;

  // Puts the member where its result says. If that fails, nothing has happened, and the status says why.
  framework::Status Add(const MemberResult& member);
  // How many members are on trial: a point to which UndoTo can go back.
  size_t size() const { return steps_.size(); }
  void UndoTo(size_t size);

 private:
  struct Step {
    cluster::PodPtr assumed;
    framework::Cycle* cycle = nullptr;
    cluster::NodeSlot node;
  };
  void Undo(const Step& step);

  const framework::Profile& profile_;
  cluster::Cluster& cluster_;
  std::vector<Step> steps_;
};

}  // namespace berth::scheduler
