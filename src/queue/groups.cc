// SPDX-License-Identifier: Apache-2.0
// How pods of groups are queued.

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "queue/scheduling_queue.h"

namespace berth::queue {

using framework::QueueCause;

namespace {

constexpr QueueCause kMemberAdded{QueueCause::Kind::kEvent,
                                  {framework::EventResource::kUnscheduledPod, framework::action::kAdd}};
constexpr QueueCause kMemberUpdated{QueueCause::Kind::kEvent,
                                    {framework::EventResource::kUnscheduledPod, framework::action::kUpdate}};

}  // namespace

QueuedPod* SchedulingQueue::Find(std::string_view key) const {
  if (QueuedPod* queued = active_.Find(key)) return queued;
  if (QueuedPod* queued = backoff_.Find(key)) return queued;
  return unschedulable_.Find(key);
}

SchedulingQueue::Taken SchedulingQueue::Take(std::string_view key) {
  if (auto queued = active_.Take(key)) return {std::move(queued), Strategy::kImmediately};
  if (auto queued = backoff_.Take(key)) return {std::move(queued), Strategy::kAfterBackoff};
  return {unschedulable_.Take(key), Strategy::kSkip};
}

void SchedulingQueue::PutBack(Taken group, const Cause& cause, Time now) {
  if (group.queued->size() == 0) return;
  group.queued->pod = group.queued->group->members.begin()->second.front()->pod;
  Requeue(std::move(group.queued), group.strategy, cause, now);
}

QueuedPod* SchedulingQueue::FindMember(const cluster::PodInfo& pod) const {
  const std::optional<cluster::GroupKey> root = RootOf(pod);
  if (!root) return incomplete_.Find(pod);
  if (const QueuedPod* group = Find(EntityKey(*root))) {
    if (QueuedPod* member = group->group->Find(pod)) return member;
  }
  return pending_.Find(pod);
}

SchedulingQueue::Standing SchedulingQueue::StandingOf(const cluster::PodInfo& pod) const {
  using Where = Standing::Where;
  Standing standing;
  std::string key = pod.full_name();
  if (IsMember(pod)) {
    standing.own = standing.entity = FindMember(pod);
    if (standing.own == nullptr) return standing;
    standing.where = incomplete_.Find(pod) != nullptr ? Where::kIncomplete : Where::kPending;
    const std::optional<cluster::GroupKey> root = RootOf(pod);
    if (!root || pending_.Find(pod) != nullptr) return standing;
    key = EntityKey(*root);
  }
  const QueuedPod* entity = Find(key);
  if (entity == nullptr) return standing;
  standing.entity = entity;
  if (standing.own == nullptr) standing.own = entity;
  standing.where = active_.Find(key) != nullptr    ? Where::kActive
                   : backoff_.Find(key) != nullptr ? Where::kBackoff
                                                   : Where::kUnschedulable;
  return standing;
}

void SchedulingQueue::AddMember(std::unique_ptr<QueuedPod> member, Time now) {
  const std::optional<cluster::GroupKey> root = RootOf(*member->pod);
  if (!root) return incomplete_.Add(std::move(member));
  const std::string key = EntityKey(*root);
  if (Taken group = Take(key); group.queued) {
    group.queued->group->Add(std::move(member));
    return PutBack(std::move(group), kMemberAdded, now);
  }
  if (last_popped_ == key) return pending_.Add(std::move(member));
  auto group = std::make_unique<QueuedPod>(*root, std::move(member));
  group->group->priority = groups_->SpecOf(*root)->priority.value_or(0);
  MoveToActive(std::move(group), false, kMemberAdded, now);
}

void SchedulingQueue::UpdateMember(const cluster::PodPtr& old_pod, const cluster::PodPtr& pod, Time now) {
  const std::optional<cluster::GroupKey> root = RootOf(*old_pod);
  if (root && in_flight_.Contains(pod->uid)) return RecordUpdate(old_pod, pod);
  QueuedPod* member = FindMember(*pod);
  if (member == nullptr) {
    if (root) Add(pod, now);
    return;
  }
  member->pod = pod;
  nominator_.Update(*old_pod, pod);
  if (!root) return;
  const std::string key = EntityKey(*root);
  if (unschedulable_.Find(key) != nullptr) UpdateUnschedulable(key, old_pod, pod, now);
}

void SchedulingQueue::DeleteMember(const cluster::PodInfo& pod, Time now) {
  const std::optional<cluster::GroupKey> root = RootOf(pod);
  std::unique_ptr<QueuedPod> member;
  if (!root) {
    member = incomplete_.Take(pod);
  } else if (Taken group = Take(EntityKey(*root)); group.queued) {
    member = group.queued->group->Take(pod);
    PutBack(std::move(group), kMemberAdded, now);
  } else {
    member = pending_.Take(pod);
  }
  if (member) TellRejectors(*member, member->rejectors(), -1);
}

bool SchedulingQueue::EndGroup(std::unique_ptr<QueuedPod> group, GroupEnd end, Time now) {
  if (Find(group->key) != nullptr) return false;
  last_popped_.clear();
  group->group->members.clear();
  if (!TakePending(*group)) return true;
  const bool has_attempted =
      group->AnyOf([&](const QueuedPod& member) { return group->group->attempted.contains(member.pod->uid); });
  if (end == GroupEnd::kScheduled) {
    group->unschedulable_count = 0;
    group->consecutive_errors = 0;
  } else if (end == GroupEnd::kRejected) {
    ++group->unschedulable_count;
    group->consecutive_errors = 0;
  } else {
    ++group->consecutive_errors;
  }
  // What is left of a group that was scheduled keeps its place, so that it may preempt at once.
  if (end != GroupEnd::kScheduled || !has_attempted) group->timestamp = now;
  group->backoff_expiry = backoff_.ExpiryOf(*group);
  group->was_flushed = false;
  group->flush_timestamp.reset();
  group->trail = {};
  if (end != GroupEnd::kScheduled && backoff_.IsBackingOff(*group, now)) {
    MoveToBackoff(std::move(group), {QueueCause::Kind::kAttemptFailed}, now);
  } else {
    MoveToActive(std::move(group), false, {QueueCause::Kind::kAttemptFailed}, now);
  }
  return true;
}

bool SchedulingQueue::TakePending(QueuedPod& group) {
  QueuedGroup& members = *group.group;
  groups_->ForEachLeaf(members.root, [&](const cluster::GroupKey& leaf, const cluster::PodGroupState&) {
    for (std::unique_ptr<QueuedPod>& member : pending_.TakeAll(leaf)) members.Add(std::move(member));
  });
  if (members.size() == 0) return false;
  group.pod = members.members.begin()->second.front()->pod;
  return true;
}

void SchedulingQueue::GroupAdded(const cluster::GroupKey& key, Time now) {
  const std::optional<cluster::GroupKey> root = groups_->RootOf(key);
  if (!root) return;
  QueuedGroup::Members complete;
  groups_->ForEachLeaf(*root, [&](const cluster::GroupKey& leaf, const cluster::PodGroupState&) {
    std::ranges::move(incomplete_.TakeAll(leaf), std::back_inserter(complete));
  });
  // The first one's time becomes the group's.
  std::ranges::stable_sort(complete, {}, [](const auto& member) { return member->timestamp; });
  for (std::unique_ptr<QueuedPod>& member : complete) AddMember(std::move(member), now);
}

void SchedulingQueue::GroupUpdated(const cluster::GroupKey& key) {
  const std::optional<cluster::GroupKey> root = groups_->RootOf(key);
  QueuedPod* group = root ? Find(EntityKey(*root)) : nullptr;
  if (group == nullptr) return;
  group->group->priority = groups_->SpecOf(*root)->priority.value_or(0);
  if (active_.Find(group->key) != nullptr) active_.Fix(*group);
  if (backoff_.Find(group->key) != nullptr) backoff_.Fix(*group);
}

void SchedulingQueue::GroupRemoved(const cluster::GroupKey& key, const std::optional<cluster::GroupKey>& parent,
                                   Time now) {
  const std::optional<cluster::GroupKey> root = parent ? groups_->RootOf(*parent) : key;
  if (!root) return;
  // Of a group that has only members here which are going, nothing is known any more.
  std::set<cluster::GroupKey> leaves;
  if (!key.is_composite) leaves.insert(key);
  groups_->ForEachLeaf(key, [&](const cluster::GroupKey& leaf, const auto&) { leaves.insert(leaf); });
  Taken group = Take(EntityKey(*root));
  for (const cluster::GroupKey& leaf : leaves) {
    QueuedGroup::Members left = group.queued ? group.queued->group->TakeAll(leaf.name) : pending_.TakeAll(leaf);
    for (std::unique_ptr<QueuedPod>& member : left) incomplete_.Add(std::move(member));
  }
  if (group.queued) PutBack(std::move(group), kMemberUpdated, now);
}

void SchedulingQueue::Activate(const cluster::PodInfo& pod, Time now) {
  if (!IsMember(pod)) return Activate(pod.full_name(), pod.uid, now);
  if (const std::optional<cluster::GroupKey> root = RootOf(pod)) Activate(EntityKey(*root), pod.uid, now);
}

}  // namespace berth::queue
