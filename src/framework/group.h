// SPDX-License-Identifier: Apache-2.0
// Groups of pods as plugins see them in an attempt: the tree of groups, the nodes a group may go to, and the extension
// points at which a group is scheduled as a whole.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "framework/cycle.h"
#include "framework/effects.h"
#include "framework/status.h"

namespace berth::framework {

class Profile;

// A group of the tree that is being scheduled: pods or other groups.
struct GroupNode {
  cluster::GroupKey key;
  std::shared_ptr<const api::PodGroup> pod_group;  // One of these two.
  std::shared_ptr<const api::CompositePodGroup> composite;
  std::vector<cluster::PodPtr> pods;                 // To be placed, in their order. Only of pod groups.
  std::vector<std::unique_ptr<GroupNode>> children;  // By age, then name. Only of composite groups.

  const api::GroupSpec& spec() const { return pod_group ? pod_group->spec : composite->spec; }
  const api::ObjectMeta& meta() const { return pod_group ? pod_group->meta : composite->meta; }
  int32_t priority() const { return spec().priority.value_or(0); }

  // Calls `visit(const GroupNode&)` for every pod group of the tree.
  template <class Visit>
  void ForEachLeaf(Visit visit) const {
    if (pod_group) return visit(*this);
    for (const auto& child : children) child->ForEachLeaf(visit);
  }
  // The pods of all pod groups of the tree.
  std::vector<cluster::PodPtr> AllPods() const {
    std::vector<cluster::PodPtr> all;
    ForEachLeaf([&](const GroupNode& leaf) { all.insert(all.end(), leaf.pods.begin(), leaf.pods.end()); });
    return all;
  }
};

// Nodes that a group may go to.
struct Placement {
  std::string name;  // Empty: all that its parent may go to.
  std::vector<cluster::NodeSlot> nodes;
};

// How far an attempt has come with the pods (children) of a group.
struct PlacementProgress {
  size_t scheduled = 0;
  size_t remaining = 0;
};

// Says whether a group can still be scheduled: Success, Wait (not yet) or Unschedulable (no longer).
class PlacementFeasiblePlugin {
 public:
  virtual ~PlacementFeasiblePlugin() = default;
  virtual Status PlacementFeasible(const GroupNode& group, const PlacementProgress& progress) const = 0;
  // How many steps places are searched for where the pods do not fit in their order; 0: not at all.
  virtual size_t search_steps() const { return 0; }
};

// Divides the nodes of `parent` into placements for the group.
class PlacementGeneratePlugin {
 public:
  virtual ~PlacementGeneratePlugin() = default;
  virtual Status GeneratePlacements(const GroupNode& group, const Placement& parent, const cluster::Cluster& cluster,
                                    std::vector<Placement>& placements) const = 0;
};

// A member that found a place.
struct ProposedAssignment {
  Cycle* cycle = nullptr;
  cluster::NodeSlot node;
};

// Ranks placements that are feasible from 0 to 100 (after Normalize).
class PlacementScorePlugin {
 public:
  virtual ~PlacementScorePlugin() = default;
  // `assignments` are what the attempt places in `placement`; the cluster is as it was before.
  virtual Status ScorePlacement(const GroupNode& group, const Placement& placement,
                                std::span<const ProposedAssignment> assignments, const cluster::Cluster& cluster,
                                int64_t& score) const = 0;
  virtual Status NormalizePlacements(std::vector<int64_t>& scores) const { return (void)scores, Status::Success(); }
};

// A group that could not be scheduled.
struct FailedGroup {
  const Profile& profile;
  cluster::Cluster& cluster;
  const GroupNode& root;
  std::vector<Cycle*> cycles;  // Of the members that were tried in the failed attempt.
  // Places the whole tree on the cluster as it is then, and takes everything back. What it found is valid until the
  // next call.
  std::function<Status(std::vector<ProposedAssignment>&)> schedule;
};

struct GroupPostFilterResult {
  Status status;
  // Nominations of members, by "namespace/name"; an empty node clears one. Others stay as they are.
  std::map<std::string, std::string> nominations = {};
};

// Runs when a group does not fit: may make room.
class PodGroupPostFilterPlugin {
 public:
  virtual ~PodGroupPostFilterPlugin() = default;
  virtual GroupPostFilterResult PodGroupPostFilter(FailedGroup& group, Effects& effects) const = 0;
};

}  // namespace berth::framework
