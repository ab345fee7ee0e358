// SPDX-License-Identifier: Apache-2.0
// SchedulingQueue: the pods that wait to be scheduled, and when each is tried next.
//
// A pod is active (to be tried now, in the order of the queue sort), backing off after a failure, or waiting for the
// cluster to change; while an attempt runs it is in flight. An event moves waiting pods whose rejectors say that it may
// help; a pod whose attempt fails is held against the events it missed. The rules are upstream's.
//
// Time comes in with every call; the periodic flushes are calls too, made by whoever has a clock. The queue knows pods
// by namespace and name, pods in flight by uid. An informer that announces one pod twice can make the queue hold it in
// two places; a pop discards the second one.
//
// Pods of a group (see cluster::PodGroups) are queued together, as one QueuedPod that stands for the root of their tree
// and is ordered by its priority. A member that comes while its group is queued joins it; while the group is being
// tried it waits for the end of the attempt; and as long as an object on the way up to the root is missing, it waits
// for that.
//
// Thread: core. Cost: O(log n) per pod moved; an event costs one hint per pod that a plugin interested in it rejected.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cluster/nominated_pods.h"
#include "cluster/pod_groups.h"
#include "framework/events.h"
#include "framework/observer.h"
#include "queue/active_queue.h"
#include "queue/backoff_queue.h"
#include "queue/in_flight.h"
#include "queue/nominator.h"
#include "queue/pod_store.h"
#include "queue/queue_policy.h"
#include "queue/queued_pod.h"
#include "queue/unschedulable_pods.h"

namespace berth::queue {

struct QueueOptions {
  BackoffOptions backoff;
  Duration max_in_unschedulable = Minutes(5);  // Pods that waited longer are tried again without cause.
  bool pop_from_backoff = true;                // Gate SchedulerPopFromBackoffQ; goes with BackoffOptions::windows.
};

class SchedulingQueue {
 public:
  using PreCheck = std::function<bool(const cluster::PodInfo&)>;

  // `store` has the newest version of every pod. Without `groups` no pod is a member of one.
  SchedulingQueue(QueueOptions options, const QueuePolicy& policy, const PodStore& store,
                  cluster::NominatedPods& nominated, const cluster::PodGroups* groups = nullptr)
      : options_(options),
        policy_(policy),
        groups_(groups),
        nominator_(nominated, store),
        active_(policy),
        backoff_(options.backoff, policy) {}
  SchedulingQueue(const SchedulingQueue&) = delete;
  SchedulingQueue& operator=(const SchedulingQueue&) = delete;

  // A new pod that is to be scheduled.
  void Add(const cluster::PodPtr& pod, Time now);
  // A new version of a pod; it is added if it is not known.
  void Update(const cluster::PodPtr& old_pod, const cluster::PodPtr& pod, Time now);
  // A pod that is gone or on a node. Its attempt, if one runs, goes on.
  void Delete(const cluster::PodInfo& pod, Time now);

  // Whether Pop would return a pod.
  bool HasNext() const { return closed_ != Closed::kForAll && (active_.HasNext(is_closed()) || MayPopEarly()); }
  // The next pod to try, or nullptr. It is in flight until Done or AddUnschedulable.
  std::unique_ptr<QueuedPod> Pop();
  // The same for the pod called "namespace/name" or the group with this EntityKey, wherever it waits; nullptr if it is
  // gated.
  std::unique_ptr<QueuedPod> Pop(std::string_view full_name);
  // Closed for waiting: pods whose attempt would wait for others (see QueuePolicy) are not popped.
  enum class Closed : uint8_t { kForNone, kForWaiting, kForAll };
  void Close(Closed closed) { closed_ = closed; }
  // The attempt needs no more events: the pod is scheduled, or its failure is dealt with.
  void Done(std::string_view uid) { in_flight_.Done(uid); }
  // Takes back a pod whose attempt failed; its plugin sets say why, both empty for an internal error. False if a pod of
  // the same name is queued already: then it is dropped. Either way it is no longer in flight.
  bool AddUnschedulable(std::unique_ptr<QueuedPod> pod, Time now);

  // How the attempt of a group ended.
  enum class GroupEnd : uint8_t { kScheduled, kRejected, kError };
  // The attempt of a popped group ended, and every member has its result. Those that came back meanwhile are queued
  // again. False if the group is queued already: then nothing happens.
  bool EndGroup(std::unique_ptr<QueuedPod> group, GroupEnd end, Time now);
  // The object of a group was added: members that waited for it are queued if nothing else is missing.
  void GroupAdded(const cluster::GroupKey& key, Time now);
  void GroupUpdated(const cluster::GroupKey& key);
  // The object is gone, and `parent` was above it: its members wait for it again.
  void GroupRemoved(const cluster::GroupKey& key, const std::optional<cluster::GroupKey>& parent, Time now);

  // Moves the waiting pods that `change` may help. Those that `pre_check` turns down are left alone; pods in flight
  // will see the event all the same.
  void Move(const framework::Change& change, Time now, const PreCheck& pre_check = nullptr);
  // Moves a pod to the active queue at once, unless it is gated. If it is in flight, it is worth a retry when it comes
  // back.
  void Activate(std::string_view full_name, std::string_view uid, Time now);
  // The same for a pod that may be a member: then its group is activated.
  void Activate(const cluster::PodInfo& pod, Time now);
  // Once a second, at whole seconds.
  void FlushBackoff(Time now);
  // Every 30 seconds.
  void FlushUnschedulable(Time now);

  // Takes over the pods of another queue in their places and states, none of them in flight. REQUIRES: this one is
  // empty, and its policy is like the other's.
  void CopyPods(const SchedulingQueue& other);
  // Puts back a pod that was popped, as if its attempt had not begun. It is no longer in flight.
  void Return(std::unique_ptr<QueuedPod> pod, Time now);

  // Policy and options change: `change` is called while no pod is queued. Afterwards pods are queued anew, whatever
  // their last attempt said. Returns those that `is_wanted` turns down: they are not queued any more.
  std::vector<cluster::PodPtr> Reconfigure(const std::function<QueueOptions()>& change,
                                           const std::function<bool(const cluster::PodInfo&)>& is_wanted, Time now);

  // Hears of every pod that enters a queue from now on; nullptr: nobody does.
  void set_observer(framework::Observer* observer) {
    observer_ = observer;
    in_flight_.set_observer(observer);
  }

  // Where a pod waits: itself and what it is queued with, its group or itself. For explanations.
  struct Standing {
    enum class Where : uint8_t { kNowhere, kActive, kBackoff, kUnschedulable, kIncomplete, kPending };
    Where where = Where::kNowhere;
    const QueuedPod* own = nullptr;  // Null: nowhere.
    const QueuedPod* entity = nullptr;
  };
  Standing StandingOf(const cluster::PodInfo& pod) const;
  const QueueOptions& options() const { return options_; }

  Nominator& nominator() { return nominator_; }

  const ActiveQueue& active() const { return active_; }
  const BackoffQueue& backoff() const { return backoff_; }
  const UnschedulablePods& unschedulable() const { return unschedulable_; }
  const InFlight& in_flight() const { return in_flight_; }
  // Members that wait for an object of their group, and for the end of their group's attempt.
  const WaitingMembers& incomplete() const { return incomplete_; }
  const WaitingMembers& pending() const { return pending_; }
  // How many pods have been popped.
  int64_t scheduling_cycle() const { return scheduling_cycle_; }

 private:
  // What an event means for a pod, worst first.
  enum class Strategy : uint8_t { kSkip, kAfterBackoff, kImmediately };

  bool is_closed() const { return closed_ != Closed::kForNone; }
  bool MayPopEarly() const {
    return options_.pop_from_backoff && !backoff_.rejected().empty() &&
           !(is_closed() && policy_.WaitsForOthers(*backoff_.rejected().first().pod));
  }
  // False if an attempt is under way already.
  bool BeginAttempt(QueuedPod& pod);
  // Of a group the best that its members get. It is noted in the trail whose answer that was.
  Strategy StrategyFor(QueuedPod& pod, const framework::Change& change, PluginSet interested) const;
  Strategy StrategyForPod(const QueuedPod& pod, const framework::Change& change, PluginSet interested,
                          QueueTrail& trail) const;
  Strategy StrategyFor(QueuedPod& pod, const InFlight::Entry& entry) const;
  Strategy StrategyForMissedEvents(QueuedPod& pod) const;

  // These put the pod where it belongs: among the unschedulable ones if it is gated.
  using Cause = framework::QueueCause;
  void Requeue(std::unique_ptr<QueuedPod> pod, Strategy strategy, const Cause& cause, Time now);
  // `asked` is where a pod was to go that is not new to the queues.
  using Asked = std::optional<Strategy>;
  bool MoveToActive(std::unique_ptr<QueuedPod> pod, bool from_backoff, const Cause& cause, Time now,
                    Asked asked = std::nullopt);
  void MoveToBackoff(std::unique_ptr<QueuedPod> pod, const Cause& cause, Time now, Asked asked = std::nullopt);
  // A group is gated if one of its members is.
  void RunPreEnqueue(QueuedPod& pod) const;
  void RunPreEnqueueOfPod(QueuedPod& pod) const;
  void KeepGated(std::unique_ptr<QueuedPod> pod, const Cause& cause, Time now, Asked asked);

  void Entered(framework::Observer::Queue queue, QueuedPod& pod, const Cause& cause, Time now, Asked asked) const {
    pod.trail.Enter(queue, cause, now);
    TellEntered(queue, pod, cause, asked);
  }

  // Takes all pods out, in the order in which they would be tried if nothing happened.
  std::vector<std::unique_ptr<QueuedPod>> TakeAll();
  // Forgets who has rejected the pod, or the members of a group.
  void ForgetRejectors(QueuedPod& pod) const;

  // For the observer.
  void TellEntered(framework::Observer::Queue queue, const QueuedPod& pod, const Cause& cause, Asked asked) const;
  void TellRejectors(const QueuedPod& pod, PluginSet plugins, int change) const;

  void UpdateUnschedulable(const std::string& key, const cluster::PodPtr& old_pod, const cluster::PodPtr& pod,
                           Time now);

  // Groups. A pod or group that was taken out of a queue, with the strategy that puts it back there.
  struct Taken {
    std::unique_ptr<QueuedPod> queued;  // Null: it was in no queue.
    Strategy strategy = Strategy::kSkip;
  };
  // A pod that awaits a resize is queued alone: its group has been scheduled.
  bool IsMember(const cluster::PodInfo& pod) const {
    return groups_ != nullptr && groups_->IsMember(pod) && !pod.awaits_resize;
  }
  std::optional<cluster::GroupKey> RootOf(const cluster::PodInfo& pod) const {
    return groups_->RootOf(cluster::PodGroups::KeyOf(pod));
  }
  QueuedPod* Find(std::string_view key) const;
  Taken Take(std::string_view key);
  // The member of a group, in its group or waiting for it; null if it is not queued.
  QueuedPod* FindMember(const cluster::PodInfo& pod) const;
  void AddMember(std::unique_ptr<QueuedPod> member, Time now);
  void UpdateMember(const cluster::PodPtr& old_pod, const cluster::PodPtr& pod, Time now);
  void DeleteMember(const cluster::PodInfo& pod, Time now);
  // Members that came back or came anew during the attempt join the group; false if it has none then.
  bool TakePending(QueuedPod& group);
  // Puts back what is left of a group.
  void PutBack(Taken group, const Cause& cause, Time now);
  void RecordUpdate(const cluster::PodPtr& old_pod, const cluster::PodPtr& pod);

  framework::Observer* observer_ = nullptr;
  QueueOptions options_;
  const QueuePolicy& policy_;
  const cluster::PodGroups* groups_;
  Nominator nominator_;
  ActiveQueue active_;
  BackoffQueue backoff_;
  UnschedulablePods unschedulable_;
  InFlight in_flight_;
  WaitingMembers incomplete_;
  WaitingMembers pending_;
  std::string last_popped_;  // Key of the group whose attempt has not ended.
  int64_t scheduling_cycle_ = 0;
  Closed closed_ = Closed::kForNone;
};

}  // namespace berth::queue
