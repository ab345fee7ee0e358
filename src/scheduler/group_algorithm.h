// SPDX-License-Identifier: Apache-2.0
// GroupAlgorithm: decides where the pods of a group go, and those of the groups below it.
//
// Members are placed one after the other, each as a pod of its own would be, on a trial that the next ones see. Plugins
// say when enough are placed, or too few are left. Where groups are placed by topology, that is done for every
// placement, and the best one counts. A composite group places its children in turn, each within the parent's
// placement; a child that fails is taken back alone. If a plugin asks for it, other orders and nodes are searched for
// members that do not fit (GroupSearch). Extenders are asked about each member in turn, and each time the whole is
// begun again when they have answered (ExtenderDialog).
//
// Thread: core.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/algorithm.h"
#include "scheduler/group_result.h"
#include "scheduler/group_trial.h"

namespace berth::scheduler {

// What the pods of a group are told when the group does not fit.
inline constexpr std::string_view kGroupUnschedulable = "pod group is unschedulable";

class GroupAlgorithm {
 public:
  struct Options {
    bool placements = false;             // Gate TopologyAwareWorkloadScheduling.
    bool composite = false;              // Gate CompositePodGroup.
    uint64_t attempt = 0;                // Tells this attempt apart from others.
    bool keeps_states = false;           // What plugins know of nodes stays with the members that found one.
    ExtenderDialogs* dialogs = nullptr;  // Null: no extender is interested in a member.
    std::string occasion = {};           // What the attempt is made for; tells its questions to extenders apart.
  };
  struct Parts {
    Algorithm& algorithm;
    cluster::Cluster& cluster;
    const framework::Chooser& chooser;
    framework::CycleBuffers& buffers;
    framework::Observer* observer = nullptr;
  };

  GroupAlgorithm(Parts parts, const framework::Profile& profile, Options options, Time now)
      : parts_(parts),
        profile_(profile),
        options_(options),
        now_(now),
        searches_(profile.search_steps() > 0),
        trial_(profile, parts.cluster) {}

  // Places the whole tree. Nothing has changed afterwards: what was tried out is taken back.
  GroupResults Run(const framework::GroupNode& root);

  // Whether the last Run broke off because an extender has to be asked: its results mean nothing.
  bool waits() const { return waits_; }
  // The calls about placements that the last Run made, in their order.
  const std::vector<PlacementCall>& generated() const { return generated_; }
  const std::vector<PlacementCall>& scored() const { return scored_; }
  // The first domains in which groups did not fit.
  std::vector<FailedDomain>& failed_domains() { return failed_domains_; }

 private:
  using GroupNode = framework::GroupNode;
  using Placement = framework::Placement;

  // Each enters the results of the group and what is below it; on success its members are on trial.
  void Place(const GroupNode& group, const Placement& parent, GroupResults& results);
  void PlaceWithin(const GroupNode& group, const Placement& placement, GroupResults& results);
  void PlacePods(const GroupNode& group, const Placement& placement, GroupResults& results);
  void PlaceChildren(const GroupNode& group, const Placement& placement, GroupResults& results);
  // The same in another order.
  void PlaceInOrder(const GroupNode& group, std::span<const GroupNode* const> children, const Placement& placement,
                    GroupResults& results);
  // Enters other members than those that did not fit, if a search finds them. They are on trial then.
  void Search(const GroupNode& group, const Placement& placement, size_t scheduled, GroupResult& result);
  void NoteDomain(const GroupNode& group, const Placement& placement, GroupResults& found);
  MemberResult PlacePod(const cluster::PodPtr& pod, const Placement& placement);
  // Null where no extender is interested in the pod.
  ExtenderDialog* DialogOf(const cluster::PodPtr& pod) const;
  // Index of the best option.
  framework::Status ChooseBest(const GroupNode& group, std::vector<framework::Profile::PlacementOption>& options,
                               size_t& best);
  // Puts what was found on trial once more.
  framework::Status Repeat(const GroupNode& group, const GroupResults& results);

  Parts parts_;
  const framework::Profile& profile_;
  Options options_;
  Time now_;
  const bool searches_;
  size_t steps_left_ = 0;  // Of searches.
  bool waits_ = false;
  std::vector<std::string> domains_;  // In which pods are being placed, from the widest to the narrowest.
  GroupTrial trial_;
  std::vector<PlacementCall> generated_;
  std::vector<PlacementCall> scored_;
  std::vector<FailedDomain> failed_domains_;
};

}  // namespace berth::scheduler
