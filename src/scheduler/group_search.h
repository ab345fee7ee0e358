// SPDX-License-Identifier: Apache-2.0
// GroupSearch: looks for places for the pods of a group that do not fit in their order.
//
// First they are tried in other orders, the largest or the smallest first, each on the node that it would get alone or
// on the fullest that holds it. After that nodes are tried one by one, beginning with the pod that has the fewest, and
// given up again where too few of the others would fit. The number of steps is bounded, and a step is one attempt to
// place one pod. The same state gives the same answer.
//
// Thread: core. Cost: as that of so many attempts to schedule a pod.

#pragma once

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "framework/profile.h"
#include "scheduler/group_trial.h"

namespace berth::scheduler {

class GroupSearch {
 public:
  // What pods have in common that may change places; for lookups only.
  using Likeness = std::pair<const void*, const void*>;

  struct Parts {
    const framework::Profile& profile;
    const cluster::Cluster& cluster;
    GroupTrial& trial;
    // Tries a pod on some nodes; if it fits, it is on trial.
    std::function<MemberResult(const cluster::PodPtr&, const framework::Placement&)> place;
  };
  // `scheduled` pods of the group have a node already.
  GroupSearch(Parts parts, const framework::GroupNode& group, const framework::Placement& placement, size_t scheduled,
              size_t steps_max);

  // What became of the pods, in their order, if enough of them fit: those are on trial. Nothing otherwise.
  std::optional<std::vector<MemberResult>> Run();

  size_t steps() const { return steps_; }
  // Whether everything was tried.
  bool is_over() const { return can_go_on(); }

 private:
  using Members = std::vector<size_t>;  // Indices of pods.
  // Pods that are alike, and a node that none of them can have.
  using Ruled = std::set<std::pair<Likeness, cluster::NodeSlot>>;
  struct Choice {
    size_t member = 0;
    std::vector<cluster::NodeSlot> nodes;
  };

  bool can_go_on() const { return steps_ < steps_max_ && !failed_; }
  const cluster::PodPtr& pod(size_t member) const { return group_.pods[member]; }
  framework::StatusCode Feasible(size_t placed, size_t remaining) const;
  // One step. What it finds is the pod's result.
  bool Place(size_t member, const framework::Placement& nodes);
  bool PlaceOnFullest(size_t member);
  bool TryOrder(const Members& order, bool on_fullest);
  bool Descend(size_t placed, const Members& left, Ruled ruled);
  // The pod that has the fewest nodes left, but some; nothing if none has. `placeable` becomes the number of pods that
  // have some.
  std::optional<Choice> Fewest(const Members& left, const Ruled& ruled, size_t& placeable);
  void SortFullestFirst(std::vector<cluster::NodeSlot>& nodes) const;
  // Tells why the others have no node.
  void Finish();

  Parts parts_;
  const framework::GroupNode& group_;
  const framework::Placement& placement_;
  const size_t scheduled_;
  const size_t steps_max_;
  size_t steps_ = 0;
  bool failed_ = false;        // By an error of a plugin.
  bool is_entangled_ = false;  // Where one pod goes may open nodes to others.
  std::vector<MemberResult> results_;
};

}  // namespace berth::scheduler
