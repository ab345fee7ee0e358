// SPDX-License-Identifier: Apache-2.0
// BackoffQueue: pods that are worth another attempt, but not yet.
//
// A pod waits the initial backoff after its first failure and twice as long after each further one, up to the maximum.
// Backoffs end at whole seconds (windows): within one window pods are in the order of the active queue, so that popping
// from here early, when nothing else is to be done, is fair. Pods that failed by an internal error, not by a plugin's
// verdict, wait apart: they are never popped early.
//
// Thread: core.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "queue/pod_heap.h"
#include "queue/queue_policy.h"

namespace berth::queue {

struct BackoffOptions {
  Duration initial = Seconds(1);
  Duration max = Seconds(10);  // Zero: no backoff at all.
  bool windows = true;         // Backoffs end at whole seconds. Gate SchedulerPopFromBackoffQ.
};

struct BackoffOrder {
  const QueuePolicy* policy;
  bool operator()(const QueuedPod& a, const QueuedPod& b) const {
    if (a.backoff_expiry != b.backoff_expiry) return a.backoff_expiry < b.backoff_expiry;
    return policy->Less(a.ForSort(), b.ForSort());
  }
};

class BackoffQueue {
 public:
  using Heap = PodHeap<BackoffOrder>;

  BackoffQueue(BackoffOptions options, const QueuePolicy& policy)
      : options_(options), rejected_(BackoffOrder{&policy}), failed_(BackoffOrder{&policy}) {}

  // When the backoff of the pod's last failure ends.
  Time ExpiryOf(const QueuedPod& pod) const;
  // By the pod's backoff_expiry. A window that has begun is not over.
  bool IsBackingOff(const QueuedPod& pod, Time now) const { return pod.backoff_expiry >= Window(now); }

  void Put(std::unique_ptr<QueuedPod> pod);
  QueuedPod* Find(std::string_view key) const;
  std::unique_ptr<QueuedPod> Take(std::string_view key);
  // The pod got a new version. REQUIRES: it is here.
  void Fix(QueuedPod& pod);

  // The next pod that was rejected by a plugin, although its backoff is not over; nullptr if there is none.
  std::unique_ptr<QueuedPod> PopEarly() { return rejected_.Pop(); }
  // All pods whose backoff is over.
  std::vector<std::unique_ptr<QueuedPod>> TakeFinished(Time now);

  // REQUIRES: there are no pods.
  void set_options(BackoffOptions options) { options_ = options; }

  const Heap& rejected() const { return rejected_; }
  const Heap& failed() const { return failed_; }
  size_t size() const { return rejected_.size() + failed_.size(); }
  GroupCensus census() const { return rejected_.census() + failed_.census(); }

 private:
  Time Window(Time time) const;

  BackoffOptions options_;
  Heap rejected_;
  Heap failed_;
};

}  // namespace berth::queue
