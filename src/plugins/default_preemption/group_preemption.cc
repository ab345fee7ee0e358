// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/group_preemption.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "cluster/cluster_trial.h"
#include "framework/profile.h"
#include "plugins/default_preemption/victim_units.h"

namespace berth::plugins {
namespace {

using framework::GroupPostFilterResult;
using framework::ProposedAssignment;
using framework::Status;

bool MayPreempt(const framework::GroupNode& root, const std::vector<cluster::PodPtr>& members, bool by_policy_of_root) {
  if (by_policy_of_root) return root.spec().preemption_policy != "Never";
  return std::ranges::none_of(members, [](const auto& pod) { return pod->spec().preemption_policy == "Never"; });
}

api::ObjectReference GroupReference(const framework::GroupNode& root) {
  const api::ObjectMeta& meta = root.meta();
  return {.kind = root.key.is_composite ? "CompositePodGroup" : "PodGroup",
          .api_version = root.key.is_composite ? "scheduling.k8s.io/v1alpha3" : "scheduling.k8s.io/v1beta1",
          .ns = meta.ns,
          .name = meta.name,
          .uid = meta.uid,
          .resource_version = meta.resource_version};
}

// Whether victims of the group's last preemption are on their way out of a nominated node.
bool AwaitsVictims(const framework::FailedGroup& group, const std::vector<cluster::PodPtr>& members) {
  const cluster::NodeTable& nodes = group.cluster.nodes();
  return std::ranges::any_of(members, [&](const cluster::PodPtr& member) {
    cluster::NodeSlot node;
    if (member->nominated_node_name.empty() || !nodes.Find(member->nominated_node_name, node)) return false;
    if (nodes.has_node[node.index] == 0) return false;
    return std::ranges::any_of(nodes.pods[node.index].pods, [&](const cluster::PodPtr& other) {
      return group.cluster.groups.PriorityOf(*other) < group.root.priority() && IsTerminatingByPreemption(*other);
    });
  });
}

// Members in the places that they would get, one after the other.
class PlacedMembers {
 public:
  PlacedMembers(const framework::Profile& profile, cluster::Cluster& cluster) : profile_(profile), cluster_(cluster) {}
  ~PlacedMembers() {
    for (; !placed_.empty(); placed_.pop_back()) {
      const auto& [assignment, assumed] = placed_.back();
      framework::Effects none;
      profile_.RunUnreserve(*assignment.cycle, assignment.node, none);
      BERTH_ASSERT(cluster_.ForgetPod(*assumed).has_value());
    }
  }
  PlacedMembers(const PlacedMembers&) = delete;
  PlacedMembers& operator=(const PlacedMembers&) = delete;

  bool Fits(const ProposedAssignment& assignment) const {
    return profile_.RunFiltersOnNode(*assignment.cycle, assignment.node).ok();
  }
  Result<void> Place(const ProposedAssignment& assignment) {
    cluster::PodPtr assumed =
        cluster::PodCatalog::WithNode(assignment.cycle->pod(), cluster_.nodes().name[assignment.node.index]);
    BERTH_CHECK_OK(cluster_.AssumePod(assumed));
    placed_.emplace_back(assignment, std::move(assumed));
    framework::Effects none;
    (void)profile_.RunReserve(*assignment.cycle, assignment.node, none);
    return {};
  }

 private:
  const framework::Profile& profile_;
  cluster::Cluster& cluster_;
  std::vector<std::pair<ProposedAssignment, cluster::PodPtr>> placed_;
};

class GroupReprieve {
 public:
  GroupReprieve(framework::FailedGroup& group, cluster::ClusterTrial& trial,
                std::span<const ProposedAssignment> assignments)
      : group_(group), trial_(trial), assignments_(assignments) {}

  // Puts the unit back if all members still fit then; false if they do not.
  Result<bool> operator()(const VictimUnit& unit) {
    for (const cluster::PodPtr& pod : unit.pods) {
      trial_.Add(pod);
      BERTH_CHECK_OK(Tell(*pod, &framework::Profile::RunAddPod));
    }
    PlacedMembers members(group_.profile, group_.cluster);
    for (const ProposedAssignment& assignment : assignments_) {
      if (members.Fits(assignment)) {
        BERTH_CHECK_OK(members.Place(assignment));
        continue;
      }
      for (const cluster::PodPtr& pod : unit.pods) {
        trial_.Remove(pod);
        BERTH_CHECK_OK(Tell(*pod, &framework::Profile::RunRemovePod));
      }
      return false;
    }
    return true;
  }

 private:
  using Change = Status (framework::Profile::*)(framework::Cycle&, const cluster::PodInfo&, cluster::NodeSlot) const;
  // Tells the plugins of every member's attempt.
  Result<void> Tell(const cluster::PodInfo& pod, Change change) {
    cluster::NodeSlot node;
    BERTH_ASSERT(group_.cluster.nodes().Find(pod.node_name, node));
    for (const ProposedAssignment& assignment : assignments_) {
      const Status status = (group_.profile.*change)(*assignment.cycle, pod, node);
      if (!status.ok()) return Invalid(status.message());
    }
    return {};
  }

  framework::FailedGroup& group_;
  cluster::ClusterTrial& trial_;
  std::span<const ProposedAssignment> assignments_;
};

struct Victims {
  std::vector<VictimUnit> units;  // Most important first.
  int64_t pdb_violations = 0;
};

// What has to go. Fails with a status that is not a success.
Status SelectVictims(framework::FailedGroup& group, std::vector<VictimUnit> units, Victims& victims,
                     GroupPostFilterResult& result) {
  cluster::ClusterTrial trial(group.cluster);
  for (const VictimUnit& unit : units) {
    for (const cluster::PodPtr& pod : unit.pods) trial.Remove(pod);
  }
  std::vector<ProposedAssignment> assignments;
  Status scheduled = group.schedule(assignments);
  if (!scheduled.ok()) return scheduled;

  std::ranges::stable_sort(units, MoreImportant);
  DisruptionBudgets budgets(group.cluster.objects.pod_disruption_budgets);
  const std::vector<int64_t> overdrawn = Overdrawn(units, budgets);
  GroupReprieve reprieve(group, trial, assignments);
  for (const bool is_protected : {true, false}) {
    for (size_t i = 0; i < units.size(); ++i) {
      if ((overdrawn[i] != 0) != is_protected) continue;
      const Result<bool> reprieved = reprieve(units[i]);
      if (!reprieved) return Status::Error(reprieved.error().message);
      if (*reprieved) continue;
      victims.units.push_back(units[i]);
      victims.pdb_violations += overdrawn[i];
    }
  }
  std::ranges::stable_sort(victims.units, MoreImportant);
  for (const ProposedAssignment& assignment : assignments) {
    result.nominations[assignment.cycle->pod().full_name()] = group.cluster.nodes().name[assignment.node.index];
  }
  return Status::Success();
}

}  // namespace

bool IsTerminatingByPreemption(const cluster::PodInfo& pod) {
  if (!pod.is_terminating()) return false;
  const api::PodCondition* condition = pod.Condition("DisruptionTarget");
  return condition != nullptr && condition->status == "True" && condition->reason == "PreemptionByScheduler";
}

GroupPostFilterResult PreemptForGroup(framework::FailedGroup& group, bool by_policy_of_root,
                                      framework::Effects& effects) {
  const std::vector<cluster::PodPtr> members = group.root.AllPods();
  Result<std::vector<VictimUnit>> units = UnitsBelow(group.root.priority(), group.cluster.order(), group.cluster);
  if (!units) return {Status::Error("failed to create domain: " + units.error().message)};
  if (!MayPreempt(group.root, members, by_policy_of_root)) {
    return {Status::Unschedulable("not eligible due to preemptionPolicy=Never.")};
  }
  GroupPostFilterResult result;
  if (AwaitsVictims(group, members)) {
    result.status.reasons = {"ongoing preemption on nominated nodes"};
    for (const cluster::PodPtr& member : members) result.nominations[member->full_name()] = member->nominated_node_name;
    return result;
  }
  if (units->empty()) return {Status::Unresolvable("No preemption victims found for incoming preemptor")};
  Victims victims;
  result.status = SelectVictims(group, *std::move(units), victims, result);
  if (!result.status.ok()) return result;
  if (framework::Observer* observer = group.profile.observer()) {
    const auto is_group = [](const VictimUnit& unit) { return unit.kind != VictimUnit::Kind::kPod; };
    observer->HarmDone(group.root.key.is_composite ? "compositepodgroup" : "podgroup",
                       static_cast<size_t>(std::ranges::count_if(victims.units, is_group)), victims.pdb_violations);
  }
  size_t count = 0;
  for (const VictimUnit& unit : victims.units) {
    count += unit.pods.size();
    for (const cluster::PodPtr& victim : unit.pods) {
      if (victim->is_terminating()) continue;
      effects.push_back(framework::EvictPod{
          .victim = victim, .preemptor = members.front(), .node_name = "cluster", .group = GroupReference(group.root)});
    }
  }
  result.status.reasons = {fmt::format("found a placement for podgroup, preempting {} victims", count)};
  return result;
}

}  // namespace berth::plugins
