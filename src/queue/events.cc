// SPDX-License-Identifier: Apache-2.0
// What cluster events, activations and flushes do to the pods in the queue.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "queue/scheduling_queue.h"

namespace berth::queue {

SchedulingQueue::Strategy SchedulingQueue::StrategyFor(QueuedPod& pod, const framework::Change& change,
                                                       PluginSet interested) const {
  Strategy best = Strategy::kSkip;
  std::as_const(pod).AnyOf([&](const QueuedPod& member) {
    // Only one that waits for something of its own can do better.
    if (best == Strategy::kAfterBackoff && member.pending_plugins.empty()) return false;
    best = std::max(best, StrategyForPod(member, change, interested, pod.trail));
    return best == Strategy::kImmediately;
  });
  if (best == Strategy::kSkip) pod.trail.Decline(change.event);
  return best;
}

SchedulingQueue::Strategy SchedulingQueue::StrategyForPod(const QueuedPod& pod, const framework::Change& change,
                                                          PluginSet interested, QueueTrail& trail) const {
  if (pod.rejectors().empty()) return Strategy::kAfterBackoff;
  const auto may_help = [&](PluginId plugin) {
    if (!policy_.MayHelp(change, *pod.pod, plugin)) return false;
    trail.called_by = plugin;
    return true;
  };
  if ((pod.pending_plugins & interested).AnyOf(may_help)) return Strategy::kImmediately;
  return (pod.unschedulable_plugins & interested).AnyOf(may_help) ? Strategy::kAfterBackoff : Strategy::kSkip;
}

SchedulingQueue::Strategy SchedulingQueue::StrategyFor(QueuedPod& pod, const InFlight::Entry& entry) const {
  switch (entry.kind) {
    case InFlight::Entry::Kind::kPop: return Strategy::kSkip;
    case InFlight::Entry::Kind::kChange: return StrategyFor(pod, entry.change, entry.interested);
    case InFlight::Entry::Kind::kForceActivate:
      return entry.uid == pod.pod->uid ? Strategy::kAfterBackoff : Strategy::kSkip;
    case InFlight::Entry::Kind::kUnschedulableTimeout: return Strategy::kAfterBackoff;
  }
  return Strategy::kSkip;
}

SchedulingQueue::Strategy SchedulingQueue::StrategyForMissedEvents(QueuedPod& pod) const {
  // After an internal error the pod is tried again in any case; so it is when it cannot be told what it missed.
  if (pod.rejectors().empty() || !in_flight_.Contains(pod.pod->uid)) return Strategy::kAfterBackoff;
  const Strategy best = pod.pending_plugins.empty() ? Strategy::kAfterBackoff : Strategy::kImmediately;
  Strategy strategy = Strategy::kSkip;
  in_flight_.ForEachSince(pod.pod->uid, [&](const InFlight::Entry& entry) {
    strategy = std::max(strategy, StrategyFor(pod, entry));
    return strategy == best;
  });
  return strategy;
}

void SchedulingQueue::Move(const framework::Change& change, Time now, const PreCheck& pre_check) {
  const PluginSet interested = policy_.Interested(change.event);
  if (interested.empty()) return;
  std::vector<std::pair<QueuedPod*, Strategy>> moving;
  unschedulable_.ForEachRejectedBy(interested, [&](QueuedPod& pod) {
    if (pre_check && !pod.AnyOf([&](const QueuedPod& member) { return pre_check(*member.pod); })) return;
    const Strategy strategy = StrategyFor(pod, change, interested);
    if (strategy != Strategy::kSkip) moving.emplace_back(&pod, strategy);
  });
  const Cause cause{Cause::Kind::kEvent, change.event};
  for (const auto& [pod, strategy] : moving) Requeue(unschedulable_.Take(pod->key), strategy, cause, now);
  if (in_flight_.empty()) return;
  in_flight_.Record({.kind = InFlight::Entry::Kind::kChange, .change = change, .interested = interested});
}

void SchedulingQueue::Activate(std::string_view full_name, std::string_view uid, Time now) {
  std::unique_ptr<QueuedPod> pod = unschedulable_.Take(full_name);
  const bool from_backoff = !pod;
  if (from_backoff) pod = backoff_.Take(full_name);
  if (pod && MoveToActive(std::move(pod), from_backoff, {Cause::Kind::kForceActivate}, now)) return;
  if (!in_flight_.Contains(uid)) return;
  in_flight_.Record({.kind = InFlight::Entry::Kind::kForceActivate, .uid = std::string(uid)});
}

void SchedulingQueue::FlushBackoff(Time now) {
  for (std::unique_ptr<QueuedPod>& pod : backoff_.TakeFinished(now)) {
    MoveToActive(std::move(pod), true, {Cause::Kind::kBackoffComplete}, now);
  }
}

void SchedulingQueue::FlushUnschedulable(Time now) {
  std::vector<QueuedPod*> overdue;
  unschedulable_.ForEach([&](QueuedPod& pod) {
    const Time since = std::max(pod.timestamp, pod.flush_timestamp.value_or(pod.timestamp));
    if (now - since > options_.max_in_unschedulable) overdue.push_back(&pod);
  });
  if (overdue.empty()) return;
  for (QueuedPod* pod : overdue) {
    pod->SetFlushed(true);
    pod->flush_timestamp = now;
    Requeue(unschedulable_.Take(pod->key), Strategy::kAfterBackoff, {Cause::Kind::kUnschedulableTimeout}, now);
  }
  if (!in_flight_.empty()) in_flight_.Record({.kind = InFlight::Entry::Kind::kUnschedulableTimeout});
}

}  // namespace berth::queue
