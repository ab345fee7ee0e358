// SPDX-License-Identifier: Apache-2.0
// How pods enter and leave the queue. What events do to them is in events.cc, what is special about groups in
// groups.cc.

#include "queue/scheduling_queue.h"

#include <string>
#include <utility>

namespace berth::queue {

using framework::ClusterEvent;
using framework::Observer;
using framework::QueueCause;

namespace {

constexpr QueueCause kPodAdded{QueueCause::Kind::kEvent,
                               {framework::EventResource::kUnscheduledPod, framework::action::kAdd}};

// Whether a pod that is gated counts as new among the unschedulable ones. As upstream: an event takes it out of there
// first, its own update and an activation do not.
bool IsNewThere(const QueueCause& cause) {
  if (cause.kind == QueueCause::Kind::kEvent) return cause.event.resource != framework::EventResource::kTargetPod;
  return cause.kind != QueueCause::Kind::kForceActivate;
}

}  // namespace

void SchedulingQueue::Add(const cluster::PodPtr& pod, Time now) {
  nominator_.Set(pod);
  if (IsMember(*pod)) return AddMember(std::make_unique<QueuedPod>(pod, now), now);
  MoveToActive(std::make_unique<QueuedPod>(pod, now), false, kPodAdded, now);
}

void SchedulingQueue::RecordUpdate(const cluster::PodPtr& old_pod, const cluster::PodPtr& pod) {
  // The pod comes back in its newest version; what matters now is that the update may have made it schedulable.
  for (const ClusterEvent& event : framework::PodUpdateEvents(*old_pod, *pod, framework::EventResource::kTargetPod)) {
    in_flight_.Record({.kind = InFlight::Entry::Kind::kChange,
                       .change = {event, old_pod, pod},
                       .interested = policy_.Interested(event)});
  }
}

void SchedulingQueue::Update(const cluster::PodPtr& old_pod, const cluster::PodPtr& pod, Time now) {
  if (IsMember(*old_pod)) return UpdateMember(old_pod, pod, now);
  if (in_flight_.Contains(pod->uid)) return RecordUpdate(old_pod, pod);
  const std::string key = old_pod->full_name();
  // A pod that was created anew under the same name is another one, which is added.
  const auto is_same = [&](const QueuedPod* queued) { return queued != nullptr && queued->pod->uid == pod->uid; };
  if (QueuedPod* queued = active_.Find(key); is_same(queued)) {
    queued->pod = pod;
    active_.Fix(*queued);
    nominator_.Update(*old_pod, pod);
  } else if (queued = backoff_.Find(key); is_same(queued)) {
    queued->pod = pod;
    backoff_.Fix(*queued);
    nominator_.Update(*old_pod, pod);
  } else if (queued = unschedulable_.Find(key); is_same(queued)) {
    queued->pod = pod;
    nominator_.Update(*old_pod, pod);
    UpdateUnschedulable(key, old_pod, pod, now);
  } else {
    Add(pod, now);
  }
}

void SchedulingQueue::UpdateUnschedulable(const std::string& key, const cluster::PodPtr& old_pod,
                                          const cluster::PodPtr& pod, Time now) {
  for (const ClusterEvent& event : framework::PodUpdateEvents(*old_pod, *pod, framework::EventResource::kTargetPod)) {
    QueuedPod* waiting = unschedulable_.Find(key);
    const Strategy strategy = StrategyFor(*waiting, {event, old_pod, pod}, policy_.Interested(event));
    if (strategy == Strategy::kSkip) continue;
    Requeue(unschedulable_.Take(key), strategy, {QueueCause::Kind::kEvent, event}, now);
    if (unschedulable_.Find(key) == nullptr)
      return;  // Otherwise it is gated still, and the next event may change that.
  }
}

void SchedulingQueue::Delete(const cluster::PodInfo& pod, Time now) {
  nominator_.Remove(pod);
  if (IsMember(pod)) return DeleteMember(pod, now);
  if (const Taken taken = Take(pod.full_name()); taken.queued) {
    TellRejectors(*taken.queued, taken.queued->rejectors(), -1);
  }
}

std::unique_ptr<QueuedPod> SchedulingQueue::Pop() {
  while (closed_ != Closed::kForAll) {
    std::unique_ptr<QueuedPod> pod = active_.Pop(is_closed());
    if (!pod && MayPopEarly()) {
      pod = backoff_.PopEarly();
      TellEntered(Observer::Queue::kActive, *pod, {QueueCause::Kind::kPoppedFromBackoff}, std::nullopt);
    }
    if (!pod || BeginAttempt(*pod)) return pod;
  }
  return nullptr;
}

std::unique_ptr<QueuedPod> SchedulingQueue::Pop(std::string_view full_name) {
  if (closed_ == Closed::kForAll) return nullptr;
  std::unique_ptr<QueuedPod> pod = active_.Take(full_name);
  if (!pod) pod = backoff_.Take(full_name);
  const QueuedPod* waiting = unschedulable_.Find(full_name);
  if (!pod && waiting != nullptr && !waiting->is_gated()) pod = unschedulable_.Take(full_name);
  return pod && BeginAttempt(*pod) ? std::move(pod) : nullptr;
}

bool SchedulingQueue::BeginAttempt(QueuedPod& pod) {
  std::vector<cluster::PodPtr> flying;
  pod.ForEach([&](QueuedPod& member) {
    ++member.attempts;
    if (!in_flight_.Begin(member.pod->uid)) flying.push_back(member.pod);
  });
  if (flying.size() == pod.size()) return false;
  if (pod.group != nullptr) {
    ++pod.attempts;
    for (const cluster::PodPtr& member : flying) pod.group->Take(*member);
    pod.group->attempted.clear();
    pod.group->ForEach([&](const QueuedPod& member) { pod.group->attempted.insert(member.pod->uid); });
  }
  ++scheduling_cycle_;
  last_popped_ = pod.key;
  pod.ForEach([&](QueuedPod& member) { TellRejectors(member, member.rejectors(), -1); });
  return true;
}

bool SchedulingQueue::AddUnschedulable(std::unique_ptr<QueuedPod> pod, Time now) {
  const std::string uid = pod->pod->uid;
  // While its binding was under way, an update may have brought it here.
  if (IsMember(*pod->pod) ? FindMember(*pod->pod) != nullptr : Find(pod->key) != nullptr) {
    Done(uid);
    return false;
  }
  if (pod->rejectors().empty()) {
    ++pod->consecutive_errors;
  } else {
    ++pod->unschedulable_count;
    pod->consecutive_errors = 0;
  }
  pod->timestamp = now;
  pod->backoff_expiry = backoff_.ExpiryOf(*pod);
  pod->was_flushed = false;
  pod->flush_timestamp.reset();
  pod->trail = {};
  TellRejectors(*pod, pod->rejectors(), 1);
  if (IsMember(*pod->pod)) {
    Done(uid);  // The group it joins may be popped at once.
    AddMember(std::move(pod), now);
    return true;
  }
  if (closed_ != Closed::kForAll) last_popped_.clear();  // Otherwise the group is still being tried.
  const Strategy strategy = StrategyForMissedEvents(*pod);
  Requeue(std::move(pod), strategy, {QueueCause::Kind::kAttemptFailed}, now);
  Done(uid);
  return true;
}

void SchedulingQueue::Requeue(std::unique_ptr<QueuedPod> pod, Strategy strategy, const QueueCause& cause, Time now) {
  if (strategy == Strategy::kSkip) {
    Entered(Observer::Queue::kUnschedulable, *pod, cause, now, strategy);
    unschedulable_.Put(std::move(pod));
  } else if (strategy == Strategy::kAfterBackoff && backoff_.IsBackingOff(*pod, now)) {
    MoveToBackoff(std::move(pod), cause, now, strategy);
  } else {
    MoveToActive(std::move(pod), false, cause, now, strategy);
  }
}

void SchedulingQueue::TellEntered(Observer::Queue queue, const QueuedPod& pod, const QueueCause& cause,
                                  Asked asked) const {
  if (observer_ == nullptr) return;
  const auto queue_of = [](Strategy strategy) {
    if (strategy == Strategy::kImmediately) return Observer::Queue::kActive;
    return strategy == Strategy::kAfterBackoff ? Observer::Queue::kBackoff : Observer::Queue::kUnschedulable;
  };
  const bool is_arrival = !asked || queue_of(*asked) != queue;
  observer_->PodQueued(queue, cause, pod.group == nullptr ? 0 : pod.group->size(), is_arrival);
}

bool SchedulingQueue::MoveToActive(std::unique_ptr<QueuedPod> pod, bool from_backoff, const QueueCause& cause, Time now,
                                   Asked asked) {
  // Where pods are popped from the backoff queue, they were checked on their way into it.
  if (!(from_backoff && options_.pop_from_backoff)) RunPreEnqueue(*pod);
  if (pod->is_gated()) {
    KeepGated(std::move(pod), cause, now, asked);
    return false;
  }
  if (!pod->first_entry) pod->first_entry = now;
  pod->ForEach([&](QueuedPod& member) { member.first_entry = member.first_entry.value_or(now); });
  unschedulable_.Take(pod->key);
  Entered(Observer::Queue::kActive, *pod, cause, now, asked);
  active_.Put(std::move(pod));
  return true;
}

void SchedulingQueue::MoveToBackoff(std::unique_ptr<QueuedPod> pod, const QueueCause& cause, Time now, Asked asked) {
  if (options_.pop_from_backoff) {
    RunPreEnqueue(*pod);
    if (pod->is_gated()) return KeepGated(std::move(pod), cause, now, asked);
  }
  unschedulable_.Take(pod->key);
  Entered(Observer::Queue::kBackoff, *pod, cause, now, asked);
  backoff_.Put(std::move(pod));
}

void SchedulingQueue::KeepGated(std::unique_ptr<QueuedPod> pod, const QueueCause& cause, Time now, Asked asked) {
  pod->SetFlushed(false);
  pod->trail.Enter(Observer::Queue::kUnschedulable, cause, now);
  if (IsNewThere(cause)) TellEntered(Observer::Queue::kUnschedulable, *pod, cause, asked);
  unschedulable_.Put(std::move(pod));
}

void SchedulingQueue::RunPreEnqueue(QueuedPod& pod) const {
  pod.ForEach([&](QueuedPod& member) { RunPreEnqueueOfPod(member); });
  if (pod.group == nullptr) return;
  pod.gating_plugin.reset();
  pod.group->ForEach([&](const QueuedPod& member) {
    if (member.is_gated()) pod.gating_plugin = member.gating_plugin;
  });
}

void SchedulingQueue::RunPreEnqueueOfPod(QueuedPod& pod) const {
  pod.gating_plugin = policy_.PreEnqueue(*pod.pod, pod.gating_plugin);
  if (!pod.gating_plugin) return;
  PluginSet gate;
  gate.Insert(*pod.gating_plugin);
  if ((pod.rejectors() & gate).empty()) TellRejectors(pod, gate, 1);
  pod.unschedulable_plugins.Insert(*pod.gating_plugin);
}

void SchedulingQueue::TellRejectors(const QueuedPod& pod, PluginSet plugins, int change) const {
  if (observer_ == nullptr) return;
  plugins.AnyOf([&](PluginId plugin) {
    observer_->PodRejected(policy_.PluginName(plugin), pod.pod->spec().scheduler_name, change);
    return false;
  });
}

}  // namespace berth::queue
