// SPDX-License-Identifier: Apache-2.0
#include "queue/backoff_queue.h"

#include <algorithm>
#include <cmath>

namespace berth::queue {

Time BackoffQueue::Window(Time time) const {
  if (!options_.windows) return time;
  constexpr int64_t kSecond = Seconds(1).nanos;
  const int64_t into_window = (time.nanos % kSecond + kSecond) % kSecond;
  return time - Duration{into_window};
}

Time BackoffQueue::ExpiryOf(const QueuedPod& pod) const {
  const int32_t count = pod.consecutive_errors > 0 ? pod.consecutive_errors : pod.unschedulable_count;
  if (options_.max.nanos == 0 || count == 0) return kNoBackoff;
  const int32_t doublings = std::min(count - 1, 62);
  Duration max = options_.max;
  // A group may wait longer, but not as long as its members one after the other.
  if (pod.size() > 1) {
    max.nanos = static_cast<int64_t>(static_cast<double>(max.nanos) * std::sqrt(static_cast<double>(pod.size())));
  }
  const bool is_capped = options_.initial.nanos > max.nanos >> doublings;
  const Duration wait = is_capped ? max : Duration{options_.initial.nanos << doublings};
  return Window(pod.timestamp + wait);
}

void BackoffQueue::Put(std::unique_ptr<QueuedPod> pod) {
  const bool was_rejected = !pod->rejectors().empty();
  (was_rejected ? failed_ : rejected_).Take(pod->key);
  (was_rejected ? rejected_ : failed_).Put(std::move(pod));
}

QueuedPod* BackoffQueue::Find(std::string_view key) const {
  QueuedPod* pod = rejected_.Find(key);
  return pod != nullptr ? pod : failed_.Find(key);
}

std::unique_ptr<QueuedPod> BackoffQueue::Take(std::string_view key) {
  std::unique_ptr<QueuedPod> pod = rejected_.Take(key);
  return pod ? std::move(pod) : failed_.Take(key);
}

void BackoffQueue::Fix(QueuedPod& pod) { (rejected_.Find(pod.key) == &pod ? rejected_ : failed_).Fix(pod); }

std::vector<std::unique_ptr<QueuedPod>> BackoffQueue::TakeFinished(Time now) {
  std::vector<std::unique_ptr<QueuedPod>> finished;
  for (Heap* heap : {&rejected_, &failed_}) {
    while (!heap->empty() && !IsBackingOff(heap->first(), now)) finished.push_back(heap->Pop());
  }
  return finished;
}

}  // namespace berth::queue
