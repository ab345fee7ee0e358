// SPDX-License-Identifier: Apache-2.0
// PodHeap: queued pods in an order, each known by its key.
//
// Thread: core. Cost: O(log n) to add, remove and reorder; O(1) to find.

#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/indexed_heap.h"
#include "queue/queued_pod.h"

namespace berth::queue {

template <class Less>
class PodHeap {
 public:
  explicit PodHeap(Less less) : order_(less), heap_(less) {}

  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  const GroupCensus& census() const { return census_; }
  const Less& order() const { return order_; }
  // In no particular order.
  const std::vector<QueuedPod*>& pods() const { return heap_.items(); }
  // REQUIRES: not empty.
  const QueuedPod& first() const { return *heap_.top(); }

  // The pod, or nullptr. Whoever changes what the order depends on calls Fix.
  QueuedPod* Find(std::string_view key) const {
    const auto it = by_key_.find(key);
    return it == by_key_.end() ? nullptr : it->second.get();
  }
  // Adds the pod, in place of one with the same key.
  void Put(std::unique_ptr<QueuedPod> pod) {
    Take(pod->key);
    heap_.Push(pod.get());
    census_.Add(*pod);
    const std::string_view key = pod->key;
    by_key_.emplace(key, std::move(pod));
  }
  void Fix(QueuedPod& pod) { heap_.Fix(&pod); }
  // Removes the pod; nullptr if there is none.
  std::unique_ptr<QueuedPod> Take(std::string_view key) {
    const auto it = by_key_.find(key);
    if (it == by_key_.end()) return nullptr;
    std::unique_ptr<QueuedPod> pod = std::move(it->second);
    by_key_.erase(it);
    heap_.Remove(pod.get());
    census_.Remove(*pod);
    return pod;
  }
  // Removes the first one; nullptr if empty.
  std::unique_ptr<QueuedPod> Pop() { return empty() ? nullptr : Take(first().key); }

 private:
  Less order_;
  boost::unordered_flat_map<std::string_view, std::unique_ptr<QueuedPod>> by_key_;  // Keys are in the pods.
  IndexedHeap<QueuedPod, &QueuedPod::place, Less> heap_;
  GroupCensus census_;
};

}  // namespace berth::queue
