// SPDX-License-Identifier: Apache-2.0
#include "scheduler/group_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "scheduler/group_validation.h"

namespace berth::scheduler {

using framework::GroupNode;
using framework::Status;
using framework::StatusCode;
using queue::QueuedGroup;
using queue::QueuedPod;
using End = queue::SchedulingQueue::GroupEnd;

namespace {

framework::Observer::GroupResult ResultOf(const GroupResult& result) {
  using Told = framework::Observer::GroupResult;
  if (result.status->ok()) return Told::kScheduled;
  if (!result.status->is_rejected()) return Told::kError;
  return result.waits_for_preemption ? Told::kWaitsForPreemption : Told::kUnschedulable;
}

}  // namespace

std::unique_ptr<QueuedPod> GroupCycle::Run(std::unique_ptr<QueuedPod> queued, ExtenderDialogs* dialogs, Time now) {
  framework::Observer* const observer = parts_.algorithm.observer;
  const framework::Moment since = observer == nullptr ? framework::Moment() : observer->Start();
  QueuedGroup& group = *queued->group;
  last_attempt_.emplace();
  last_attempt_->root = group.root;
  if (const std::optional<cluster::GroupKey> missing = MissingGroup(group)) {
    FailAll(group, fmt::format("pod group object not found for pod group podgroup/{}/{}", missing->ns, missing->name),
            now);
    parts_.queue.EndGroup(std::move(queued), End::kError, now);
    return nullptr;
  }
  const std::unique_ptr<GroupNode> root = MakeTree(group.root, group);
  // While a member is being scheduled, others see of its nomination only that there is one.
  group.ForEach([&](const QueuedPod& member) {
    const std::string node(parts_.algorithm.cluster.nominated.NodeOf(member.pod->uid));
    if (!node.empty()) {
      parts_.algorithm.cluster.nominated.Set(BarePod(parts_.algorithm.cluster, *member.pod), node);
    }
  });
  const GroupRules rules{.preemption_policy = options_.preemption_policy};
  if (std::string error = ValidateGroup(*root, parts_.algorithm.cluster, parts_.profiles, rules); !error.empty()) {
    FailAll(group, error, now);
    root->ForEachLeaf([&](const GroupNode& leaf) { SetCondition(leaf, GroupStatus::Error(error)); });
    parts_.queue.EndGroup(std::move(queued), End::kError, now);
    return nullptr;
  }
  const framework::Profile& profile = *parts_.profiles.find(queued->pod->spec().scheduler_name)->second;
  SkipUnwanted(group, *root);
  if (group.size() == 0) {
    parts_.queue.EndGroup(std::move(queued), End::kScheduled, now);
    return nullptr;
  }
  std::optional<GroupResults> decided = Decide(profile, *root, dialogs, now);
  if (!decided) {
    last_attempt_.reset();
    return queued;
  }
  GroupResults& results = *decided;
  const StatusCode code = results.at(root->key).status->code;
  Complete(*root, results, nullptr);
  if (observer != nullptr) observer->GroupAlgorithmEnds(since);
  if (code == StatusCode::kUnschedulable && !PostFilter(profile, *root, results, dialogs, now)) {
    last_attempt_.reset();
    return queued;
  }
  const framework::Observer::GroupResult told = ResultOf(results.at(root->key));
  Submit(profile, group, results, now);
  if (observer != nullptr) observer->GroupAttemptEnds(profile, told, since);
  const End end = code == StatusCode::kSuccess  ? End::kScheduled
                  : framework::IsRejected(code) ? End::kRejected
                                                : End::kError;
  parts_.queue.EndGroup(std::move(queued), end, now);
  return nullptr;
}

std::optional<cluster::GroupKey> GroupCycle::MissingGroup(const QueuedGroup& group) const {
  const cluster::PodGroups& groups = parts_.algorithm.cluster.groups;
  if (groups.SpecOf(group.root) == nullptr) return group.root;
  for (const auto& [name, members] : group.members) {
    const cluster::GroupKey leaf = cluster::PodGroups::KeyOf(*members.front()->pod);
    if (groups.SpecOf(leaf) == nullptr || groups.RootOf(leaf) != group.root) return leaf;
  }
  return std::nullopt;
}

std::unique_ptr<GroupNode> GroupCycle::MakeTree(const cluster::GroupKey& key, const QueuedGroup& group) const {
  const cluster::PodGroups& groups = parts_.algorithm.cluster.groups;
  auto node = std::make_unique<GroupNode>();
  node->key = key;
  if (!key.is_composite) {
    node->pod_group = groups.Find(key)->object;
    const auto members = group.members.find(key.name);
    if (members == group.members.end()) return node;
    for (const std::unique_ptr<QueuedPod>& member : members->second) node->pods.push_back(member->pod);
    return node;
  }
  node->composite = groups.FindComposite(key)->object;
  for (const cluster::GroupKey& child : groups.FindComposite(key)->children) {
    if (groups.SpecOf(child) != nullptr) node->children.push_back(MakeTree(child, group));
  }
  std::ranges::sort(node->children, {},
                    [](const auto& child) { return std::pair(child->meta().creation_timestamp, child->key.name); });
  return node;
}

void GroupCycle::SkipUnwanted(QueuedGroup& group, GroupNode& node) {
  for (const auto& child : node.children) SkipUnwanted(group, *child);
  std::erase_if(node.pods, [&](const cluster::PodPtr& pod) {
    if (!pod->is_terminating() && !parts_.algorithm.cluster.IsAssumed(pod->uid)) return false;
    if (pod->is_terminating()) parts_.reporter.SkippedDeleting(pod);
    last_attempt_->members[pod->full_name()].outcome = Member::Outcome::kSkipped;
    parts_.queue.Done(pod->uid);
    group.Take(*pod);
    return true;
  });
}

std::optional<GroupResults> GroupCycle::Decide(const framework::Profile& profile, const GroupNode& root,
                                               ExtenderDialogs* dialogs, Time now) {
  GroupAlgorithm algorithm(
      parts_.algorithm, profile,
      {.placements = options_.placements, .composite = options_.composite, .attempt = ++attempts_, .dialogs = dialogs},
      now);
  GroupResults results = algorithm.Run(root);
  if (algorithm.waits()) return std::nullopt;
  last_attempt_->generated = algorithm.generated();
  last_attempt_->scored = algorithm.scored();
  last_attempt_->domains = std::move(algorithm.failed_domains());
  return results;
}

// Children of a group that failed fail with it, and members that were not tried are told why.
void GroupCycle::Complete(const GroupNode& group, GroupResults& results, const GroupResult* parent) const {
  auto found = results.find(group.key);
  const bool is_lost =
      found != results.end() && parent != nullptr && !parent->status->ok() && found->second.status->ok();
  if (found == results.end() || is_lost) {
    GroupResult lost{.group = &group, .members = {}, .status = parent->status};
    found = results.insert_or_assign(group.key, std::move(lost)).first;
  }
  GroupResult& result = found->second;
  for (const auto& child : group.children) Complete(*child, results, &result);
  for (size_t i = result.members.size(); i < group.pods.size(); ++i) {
    MemberResult member;
    member.pod = group.pods[i];
    member.status = *result.status;
    result.members.push_back(std::move(member));
  }
}

bool GroupCycle::PostFilter(const framework::Profile& profile, const GroupNode& root, GroupResults& results,
                            ExtenderDialogs* dialogs, Time now) {
  framework::FailedGroup failed{
      .profile = profile, .cluster = parts_.algorithm.cluster, .root = root, .cycles = {}, .schedule = nullptr};
  for (const auto& [key, result] : results) {
    for (const MemberResult& member : result.members) {
      if (member.was_tried) failed.cycles.push_back(member.cycle.get());
    }
  }
  GroupAlgorithm algorithm(parts_.algorithm, profile,
                           {.placements = options_.placements,
                            .composite = options_.composite,
                            .attempt = ++attempts_,
                            .keeps_states = true,
                            .dialogs = dialogs,
                            .occasion = "preemption"},
                           now);
  GroupResults found;
  failed.schedule = [&](std::vector<framework::ProposedAssignment>& assignments) {
    found = algorithm.Run(root);
    for (const auto& [key, result] : found) {
      for (const MemberResult& member : result.members) {
        if (member.status.ok()) assignments.push_back({member.cycle.get(), member.node});
      }
    }
    const GroupStatus& status = *found.at(root.key).status;
    Status outcome{status.code, status.reasons, {}};
    if (!status.error.empty()) outcome.reasons.insert(outcome.reasons.begin(), status.error);
    return outcome;
  };
  framework::Effects effects;
  const framework::GroupPostFilterResult outcome = profile.RunPodGroupPostFilter(failed, effects);
  if (algorithm.waits()) return false;
  last_attempt_->post_filter = outcome.status;
  const bool is_error = outcome.status.code == StatusCode::kError;
  for (auto& [key, result] : results) {
    result.waits_for_preemption = outcome.status.ok();
    if (is_error) {
      result.status = std::make_shared<GroupStatus>(GroupStatus::Error(outcome.status.message()));
    } else {
      result.status->reasons.push_back(outcome.status.message());
    }
    if (!outcome.status.ok()) continue;
    for (MemberResult& member : result.members) {
      const auto nomination = outcome.nominations.find(member.pod->full_name());
      if (nomination != outcome.nominations.end()) member.nomination = nomination->second;
    }
  }
  // Before the group is back in the queue: while its victims go, it has to stay out.
  parts_.preempt(effects, now);
  return true;
}

void GroupCycle::Submit(const framework::Profile& profile, QueuedGroup& group, GroupResults& results, Time now) {
  for (auto& [key, result] : results) {
    if (key.is_composite) continue;
    QueuedGroup::Members members = group.TakeAll(key.name);
    for (size_t i = 0; i < members.size(); ++i) {
      SubmitMember(profile, std::move(members[i]), result, result.members[i], now);
    }
    SetCondition(*result.group, *result.status);
  }
}

void GroupCycle::SubmitMember(const framework::Profile& profile, std::unique_ptr<QueuedPod> queued, GroupResult& result,
                              MemberResult& member, Time now) {
  const GroupStatus& group = *result.status;
  if (group.is_error())
    return Fail(std::move(queued), member.status.is_error() ? member.status : group, &member, "", now);
  if (!member.status.ok()) return Fail(std::move(queued), member.status, &member, member.nomination, now);
  if (!group.ok()) {
    if (result.waits_for_preemption) return Fail(std::move(queued), group, nullptr, member.nomination, now);
    return Fail(std::move(queued), {StatusCode::kUnschedulable, std::string(kGroupUnschedulable), {group.message()}},
                nullptr, "", now);
  }
  member.cycle->set_waiting_pods(&parts_.waiting);
  const std::string name = member.pod->full_name();
  const framework::Moment since =
      parts_.algorithm.observer == nullptr ? framework::Moment() : parts_.algorithm.observer->Start();
  const std::optional<GroupStatus> refused =
      parts_.commit({std::move(queued), &profile, std::move(member.cycle), member.node,
                     cluster::PodCatalog::WithNode(*member.pod, member.node_name), since, member.evaluated_nodes,
                     member.feasible_nodes},
                    now);
  Member& end = last_attempt_->members[name];
  end.outcome = !refused              ? Member::Outcome::kScheduled
                : refused->is_error() ? Member::Outcome::kError
                                      : Member::Outcome::kUnschedulable;
  if (refused) {
    end.message = refused->message();
    end.nomination = "";
  } else {
    end.node_name = member.node_name;
  }
}

void GroupCycle::Fail(std::unique_ptr<QueuedPod> queued, const GroupStatus& status, const MemberResult* own,
                      std::optional<std::string> nomination, Time now) {
  const bool rejected = status.is_rejected();
  Failure failure;
  Member& end = last_attempt_->members[queued->pod->full_name()];
  if (rejected && own != nullptr) {
    failure.unschedulable_plugins = parts_.policy.names().InternAll(own->unschedulable_plugins);
    failure.pending_plugins = parts_.policy.names().InternAll(own->pending_plugins);
    end.unschedulable_plugins = own->unschedulable_plugins;
    end.pending_plugins = own->pending_plugins;
  }
  failure.nominated_node_name = std::move(nomination);
  end.outcome = rejected ? Member::Outcome::kUnschedulable : Member::Outcome::kError;
  end.message = status.message();
  end.nomination = failure.nominated_node_name;
  if (parts_.algorithm.observer != nullptr) {
    using Result = framework::Observer::Result;
    parts_.algorithm.observer->AttemptFailed(*queued->pod, rejected ? Result::kUnschedulable : Result::kError,
                                             end.message);
  }
  const cluster::PodPtr subject = parts_.failures.AttemptFailed(std::move(queued), failure, now);
  if (subject != nullptr) parts_.reporter.Failed(subject, rejected, end.message, failure.nominated_node_name);
}

void GroupCycle::FailAll(QueuedGroup& group, const std::string& error, Time now) {
  const GroupStatus status = GroupStatus::Error(error);
  for (auto& [name, members] : group.members) {
    for (std::unique_ptr<QueuedPod>& member : members) Fail(std::move(member), status, nullptr, "", now);
  }
  group.members.clear();
}

void GroupCycle::SetCondition(const GroupNode& group, const GroupStatus& status) {
  api::PodCondition condition;
  condition.type = "PodGroupInitiallyScheduled";
  condition.status = status.ok() ? "True" : "False";
  condition.reason = status.ok() ? "Scheduled" : status.is_rejected() ? "Unschedulable" : "SchedulerError";
  condition.message = status.is_error() ? status.AsError() : status.message();
  condition.observed_generation = group.pod_group->meta.generation;
  const api::PodCondition* current = group.pod_group->Condition(condition.type);
  // A group that was scheduled once stays so.
  if (current != nullptr && current->status == "True" && !status.ok()) return;
  if (current != nullptr) {
    if (current->status == condition.status) condition.last_transition_time = current->last_transition_time;
    if (*current == condition) return;
  }
  last_attempt_->conditions[group.key.name] = condition;
  parts_.outbox.Send(framework::PatchPodGroupStatus{group.pod_group, std::move(condition)});
}

}  // namespace berth::scheduler
