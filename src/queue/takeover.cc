// SPDX-License-Identifier: Apache-2.0
// How a queue takes over pods: those of another queue, and its own when the configuration changes.

#include <string>
#include <utility>
#include <vector>

#include "queue/scheduling_queue.h"

namespace berth::queue {

using framework::QueueCause;

void SchedulingQueue::CopyPods(const SchedulingQueue& other) {
  const auto copy = [](const QueuedPod& pod) { return std::make_unique<QueuedPod>(pod); };
  // In the order of the heaps, so that they come out the same, pods that are equal in rank included.
  for (const QueuedPod* pod : other.active_.pods()) active_.Put(copy(*pod));
  for (const BackoffQueue::Heap* heap : {&other.backoff_.rejected(), &other.backoff_.failed()}) {
    for (const QueuedPod* pod : heap->pods()) backoff_.Put(copy(*pod));
  }
  other.unschedulable_.ForEach([&](const QueuedPod& pod) { unschedulable_.Put(copy(pod)); });
  other.incomplete_.ForEach([&](const QueuedPod& pod) { incomplete_.Add(copy(pod)); });
  other.pending_.ForEach([&](const QueuedPod& pod) { pending_.Add(copy(pod)); });
  last_popped_ = other.last_popped_;
  scheduling_cycle_ = other.scheduling_cycle_;
}

void SchedulingQueue::Return(std::unique_ptr<QueuedPod> pod, Time now) {
  pod->ForEach([&](QueuedPod& one) {
    --one.attempts;
    Done(one.pod->uid);
  });
  if (pod->group != nullptr) {
    --pod->attempts;
    // They wait for their group, or for its object if that has gone meanwhile; then those that are left come together.
    for (auto& [name, members] : std::exchange(pod->group->members, {})) {
      for (std::unique_ptr<QueuedPod>& member : members) AddMember(std::move(member), now);
    }
    last_popped_.clear();
    if (!TakePending(*pod)) return;
  }
  if (Find(pod->key) == nullptr) MoveToActive(std::move(pod), false, {QueueCause::Kind::kForceActivate}, now);
}

std::vector<std::unique_ptr<QueuedPod>> SchedulingQueue::TakeAll() {
  std::vector<std::unique_ptr<QueuedPod>> pods;
  while (auto pod = active_.Pop(false)) pods.push_back(std::move(pod));
  std::vector<std::string> keys;
  for (const BackoffQueue::Heap* heap : {&backoff_.rejected(), &backoff_.failed()}) {
    for (const QueuedPod* pod : heap->pods()) keys.push_back(pod->key);
  }
  unschedulable_.ForEach([&](const QueuedPod& pod) { keys.push_back(pod.key); });
  for (const std::string& key : keys) pods.push_back(Take(key).queued);
  return pods;
}

void SchedulingQueue::ForgetRejectors(QueuedPod& pod) const {
  pod.ForEach([&](QueuedPod& member) {
    TellRejectors(member, member.rejectors(), -1);
    member.unschedulable_plugins = {};
    member.pending_plugins = {};
    member.gating_plugin.reset();
  });
  pod.gating_plugin.reset();
}

std::vector<cluster::PodPtr> SchedulingQueue::Reconfigure(const std::function<QueueOptions()>& change,
                                                          const std::function<bool(const cluster::PodInfo&)>& is_wanted,
                                                          Time now) {
  std::vector<std::unique_ptr<QueuedPod>> pods = TakeAll();
  for (const auto& pod : pods) ForgetRejectors(*pod);
  incomplete_.ForEach([&](QueuedPod& pod) { ForgetRejectors(pod); });
  pending_.ForEach([&](QueuedPod& pod) { ForgetRejectors(pod); });
  options_ = change();
  backoff_.set_options(options_.backoff);
  std::vector<cluster::PodPtr> unwanted;
  const auto drop = [&](const QueuedPod& pod) { unwanted.push_back(pod.pod); };
  for (std::unique_ptr<QueuedPod>& pod : pods) {
    if (is_wanted(*pod->pod)) {
      MoveToActive(std::move(pod), false, {QueueCause::Kind::kForceActivate}, now);
    } else {
      pod->ForEach(drop);
    }
  }
  for (WaitingMembers* waiting : {&incomplete_, &pending_}) {
    const size_t first = unwanted.size();
    waiting->ForEach([&](const QueuedPod& pod) {
      if (!is_wanted(*pod.pod)) drop(pod);
    });
    for (size_t i = first; i < unwanted.size(); ++i) waiting->Take(*unwanted[i]);
  }
  for (const cluster::PodPtr& pod : unwanted) nominator_.Remove(*pod);
  if (!in_flight_.empty()) in_flight_.Record({.kind = InFlight::Entry::Kind::kUnschedulableTimeout});
  return unwanted;
}

}  // namespace berth::queue
