// SPDX-License-Identifier: Apache-2.0
// ActiveQueue: the pods to be tried now, in the order of the queue sort.
//
// There are two lanes: one for pods whose attempt may have to wait for somebody's answer, one for the others. While
// such an attempt is under way its lane is closed and the others go on; both open, the lanes are one queue.
//
// Thread: core. Cost: as PodHeap.

#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "queue/pod_heap.h"
#include "queue/queue_policy.h"

namespace berth::queue {

struct ActiveOrder {
  const QueuePolicy* policy;
  bool operator()(const QueuedPod& a, const QueuedPod& b) const { return policy->Less(a.ForSort(), b.ForSort()); }
};

class ActiveQueue {
 public:
  explicit ActiveQueue(const QueuePolicy& policy)
      : policy_(policy), plain_(ActiveOrder{&policy}), waiting_(ActiveOrder{&policy}) {}

  size_t size() const { return plain_.size() + waiting_.size(); }
  GroupCensus census() const { return plain_.census() + waiting_.census(); }
  const ActiveOrder& order() const { return plain_.order(); }
  // In no particular order.
  std::vector<QueuedPod*> pods() const {
    std::vector<QueuedPod*> all = plain_.pods();
    all.insert(all.end(), waiting_.pods().begin(), waiting_.pods().end());
    return all;
  }

  // The pod, or nullptr. Whoever changes what the order depends on calls Fix.
  QueuedPod* Find(std::string_view key) const {
    QueuedPod* pod = plain_.Find(key);
    return pod != nullptr ? pod : waiting_.Find(key);
  }
  // Adds the pod, in place of one with the same key.
  void Put(std::unique_ptr<QueuedPod> pod) {
    Take(pod->key);
    LaneOf(*pod).Put(std::move(pod));
  }
  void Fix(QueuedPod& pod) { Put(Take(pod.key)); }
  // Removes the pod; nullptr if there is none.
  std::unique_ptr<QueuedPod> Take(std::string_view key) {
    std::unique_ptr<QueuedPod> pod = plain_.Take(key);
    return pod != nullptr ? std::move(pod) : waiting_.Take(key);
  }

  // Whether Pop would return a pod. `closed`: only pods that do not wait for others.
  bool HasNext(bool closed) const { return !plain_.empty() || (!closed && !waiting_.empty()); }
  std::unique_ptr<QueuedPod> Pop(bool closed) {
    if (closed || waiting_.empty()) return plain_.Pop();
    if (plain_.empty()) return waiting_.Pop();
    return order()(waiting_.first(), plain_.first()) ? waiting_.Pop() : plain_.Pop();
  }

 private:
  using Lane = PodHeap<ActiveOrder>;
  Lane& LaneOf(const QueuedPod& pod) {
    const bool waits = pod.AnyOf([&](const QueuedPod& one) { return policy_.WaitsForOthers(*one.pod); });
    return waits ? waiting_ : plain_;
  }

  const QueuePolicy& policy_;
  Lane plain_;
  Lane waiting_;
};

}  // namespace berth::queue
