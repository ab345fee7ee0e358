// SPDX-License-Identifier: Apache-2.0
#include "plugins/gang_scheduling/gang_scheduling.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace berth::plugins {
namespace {

using cluster::GroupKey;
using cluster::PodGroups;
using cluster::PodGroupState;
using framework::Status;

constexpr Duration kPermitTimeout = Minutes(5);

// A basic group is there as soon as it has one pod, or one child.
size_t MinCount(const api::GroupSpec& spec) { return static_cast<size_t>(std::max(spec.min_count.value_or(1), 0)); }

using MemberCount = size_t (*)(const PodGroupState&);
size_t CountKnown(const PodGroupState& state) { return state.pods.size(); }
size_t CountScheduled(const PodGroupState& state) { return state.scheduled_count(); }

// Whether enough pods, by `count`, are there in the whole tree below a group.
bool IsReady(const PodGroups& groups, const GroupKey& key, MemberCount count) {
  const api::GroupSpec* spec = groups.SpecOf(key);
  if (spec == nullptr) return false;
  if (!key.is_composite) return count(*groups.Find(key)) >= MinCount(*spec);
  const auto ready = std::ranges::count_if(groups.FindComposite(key)->children,
                                           [&](const GroupKey& child) { return IsReady(groups, child, count); });
  return static_cast<size_t>(ready) >= MinCount(*spec);
}

// The root of the tree that the pod's group belongs to; fails with upstream's text.
Result<GroupKey> FindTree(const PodGroups& groups, const cluster::PodInfo& pod) {
  const auto missing = [](std::string_view what, const GroupKey& key) {
    return Fail(Code::kNotFound, fmt::format("{} for {}", what, key.ToString()));
  };
  GroupKey key = PodGroups::KeyOf(pod);
  if (groups.Find(key) == nullptr) return missing("pod group state not found", key);
  if (groups.SpecOf(key) == nullptr) return missing("pod group object not found in state", key);
  std::optional<GroupKey> parent = groups.ParentOf(key);
  for (size_t depth = 1; parent && depth < PodGroups::kDepthMax; ++depth) {
    key = *parent;
    if (groups.FindComposite(key) == nullptr) return missing("parent composite pod group state not found", key);
    if (groups.SpecOf(key) == nullptr) return missing("composite pod group object not found in state", key);
    parent = groups.ParentOf(key);
  }
  if (parent) key = *parent;
  if (const std::optional<GroupKey> root = groups.RootOf(key)) return *root;
  return Fail(Code::kInvalid, fmt::format("cycle detected in composite pod group hierarchy: {}", key.ToString()));
}

Status NoQuorum(const GroupKey& root) {
  return Status::Unresolvable(root.is_composite
                                  ? fmt::format("waiting for composite pod group \"{}\" tree to meet quorum", root.name)
                                  : std::string("waiting for minCount pods from a gang to appear in scheduling queue"));
}

Status PreEnqueueInTree(const cluster::PodInfo& pod, const PodGroups& groups) {
  const Result<GroupKey> root = FindTree(groups, pod);
  if (!root) return Status::Unresolvable("failed to build hierarchy snapshot: " + root.error().message);
  return IsReady(groups, *root, CountKnown) ? Status::Success() : NoQuorum(*root);
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> GangScheduling::Create(const framework::PluginContext& context) {
  return std::make_unique<GangScheduling>(context.gates.Enabled(framework::Gate::kCompositePodGroup),
                                          static_cast<size_t>(context.args.ValueOr<Args>().search_steps));
}

void GangScheduling::Args::Validate(const framework::ArgsCheck& check) const {
  if (search_steps >= 0 && search_steps <= kSearchStepsMax) return;
  check.errors.Invalid(check.At("searchSteps"), search_steps,
                       fmt::format("must be between 0 and {}, inclusive", kSearchStepsMax));
}

Status GangScheduling::PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const {
  const std::string& group = pod.spec().scheduling_group;
  if (group.empty()) return Status::Success();
  if (composite_) return PreEnqueueInTree(pod, cluster.groups);
  const GroupKey key = PodGroups::KeyOf(pod);
  const api::GroupSpec* spec = cluster.groups.SpecOf(key);
  if (spec == nullptr) {
    return Status::Unresolvable(
        fmt::format("waiting for pods's pod group \"{}\" to appear in scheduling queue", group));
  }
  const bool is_gang = spec->min_count.has_value();
  return !is_gang || IsReady(cluster.groups, key, CountKnown) ? Status::Success() : NoQuorum(key);
}

framework::PermitResult GangScheduling::Permit(framework::Cycle& cycle, cluster::NodeSlot) const {
  const cluster::PodInfo& pod = cycle.pod();
  if (pod.spec().scheduling_group.empty()) return {.status = Status::Success()};
  const PodGroups& groups = cycle.cluster().groups;
  GroupKey root = PodGroups::KeyOf(pod);
  if (composite_) {
    const Result<GroupKey> found = FindTree(groups, pod);
    if (!found) return {.status = Status::Error("failed to build hierarchy snapshot: " + found.error().message)};
    root = *found;
  }
  const api::GroupSpec* spec = groups.SpecOf(root);
  if (spec == nullptr) {
    return {.status =
                Status::Error(fmt::format("failed to get podGroup {}/{}: pod group object not found for pod group {}",
                                          root.ns, root.name, root.ToString()))};
  }
  if (!root.is_composite && !spec->min_count) return {.status = Status::Success()};
  if (!IsReady(groups, root, CountScheduled)) {
    groups.ForEachLeaf(root, [&](const GroupKey&, const PodGroupState& state) {
      // One stands for all: what is queued is the tree.
      if (!cycle.pods_to_activate().empty() || state.unscheduled.empty()) return;
      cycle.pods_to_activate().push_back(state.pods.at(*state.unscheduled.begin()));
    });
    std::string reason = root.is_composite
                             ? fmt::format("waiting for composite pod group \"{}\" tree to meet quorum", root.name)
                             : std::string("waiting for minCount pods from a gang to be scheduled");
    return {.status = {framework::StatusCode::kWait, {std::move(reason)}, {}}, .timeout = kPermitTimeout};
  }
  groups.ForEachLeaf(root, [&](const GroupKey&, const PodGroupState& state) {
    if (cycle.waiting_pods() == nullptr) return;
    for (const auto& [uid, member] : state.assumed) cycle.waiting_pods()->Allow(uid, kName);
  });
  return {.status = Status::Success()};
}

Status GangScheduling::PlacementFeasible(const framework::GroupNode& group,
                                         const framework::PlacementProgress& progress) const {
  const size_t min = MinCount(group.spec());
  if (progress.remaining + progress.scheduled < min) {
    return Status::Unschedulable(fmt::format("minCount ({}) cannot be satisfied: {} scheduled, {} remaining", min,
                                             progress.scheduled, progress.remaining));
  }
  if (progress.scheduled >= min) return Status::Success();
  return {framework::StatusCode::kWait,
          {fmt::format("minCount ({}) is not yet satisfied: {} scheduled, {} remaining", min, progress.scheduled,
                       progress.remaining)},
          {}};
}

std::vector<framework::EventRegistration> GangScheduling::EventsToRegister() const {
  using framework::EventResource;
  namespace action = framework::action;
  std::vector<framework::EventRegistration> events = {
      {.event = {EventResource::kUnscheduledPod, action::kAdd}, .has_hint = true},
      {.event = {EventResource::kAssignedPod, action::kAdd}, .has_hint = true},
      {.event = {EventResource::kPodGroup, action::kAdd}, .has_hint = true},
      {.event = {EventResource::kPodGroup, action::kUpdate}, .has_hint = true},
  };
  if (composite_) events.push_back({.event = {EventResource::kCompositePodGroup, action::kAdd}, .has_hint = true});
  return events;
}

Result<framework::QueueingHint> GangScheduling::Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                                     const cluster::Cluster& cluster) const {
  using framework::QueueingHint;
  if (pod.spec().scheduling_group.empty()) return QueueingHint::kSkip;
  GroupKey changed;
  if (const auto* added = change.after<cluster::PodInfo>()) {
    if (added->spec().scheduling_group.empty()) return QueueingHint::kSkip;
    changed = PodGroups::KeyOf(*added);
  } else if (const auto* group = change.after<api::PodGroup>()) {
    changed = {false, group->meta.ns, group->meta.name};
    // Only a smaller number can help.
    const auto* before = change.before<api::PodGroup>();
    if (before != nullptr &&
        !(before->spec.min_count && group->spec.min_count && *group->spec.min_count < *before->spec.min_count)) {
      return QueueingHint::kSkip;
    }
  } else if (const auto* composite = change.after<api::CompositePodGroup>()) {
    changed = {true, composite->meta.ns, composite->meta.name};
  }
  const GroupKey own = PodGroups::KeyOf(pod);
  if (!composite_) return own == changed ? QueueingHint::kQueue : QueueingHint::kSkip;
  const std::optional<GroupKey> root = cluster.groups.RootOf(own);
  return root && root == cluster.groups.RootOf(changed) ? QueueingHint::kQueue : QueueingHint::kSkip;
}

}  // namespace berth::plugins
