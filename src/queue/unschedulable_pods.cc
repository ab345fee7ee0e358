// SPDX-License-Identifier: Apache-2.0
#include "queue/unschedulable_pods.h"

#include "base/assert.h"

namespace berth::queue {

QueuedPod* UnschedulablePods::Find(std::string_view key) const {
  const auto it = by_key_.find(key);
  return it == by_key_.end() ? nullptr : it->second.get();
}

void UnschedulablePods::Put(std::unique_ptr<QueuedPod> pod) {
  Take(pod->key);
  std::vector<QueuedPod*>& bucket = buckets_[Signature(*pod)];
  pod->place = bucket.size();
  bucket.push_back(pod.get());
  if (pod->is_gated()) ++gated_count_;
  (pod->is_gated() ? gated_census_ : rejected_census_).Add(*pod);
  const std::string_view key = pod->key;
  by_key_.emplace(key, std::move(pod));
}

std::unique_ptr<QueuedPod> UnschedulablePods::Take(std::string_view key) {
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) return nullptr;
  std::unique_ptr<QueuedPod> pod = std::move(it->second);
  by_key_.erase(it);
  const auto bucket = buckets_.find(Signature(*pod));
  BERTH_ASSERT(bucket != buckets_.end() && bucket->second[pod->place] == pod.get());
  bucket->second.back()->place = pod->place;
  std::swap(bucket->second[pod->place], bucket->second.back());
  bucket->second.pop_back();
  if (bucket->second.empty()) buckets_.erase(bucket);
  if (pod->is_gated()) --gated_count_;
  (pod->is_gated() ? gated_census_ : rejected_census_).Remove(*pod);
  return pod;
}

}  // namespace berth::queue
