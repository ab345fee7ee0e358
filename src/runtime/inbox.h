// SPDX-License-Identifier: Apache-2.0
// Inbox: how other threads hand work to the thread that owns something.
//
// Writers append, the owner takes everything there is. It is bounded by courtesy: a writer that finds it full stops
// reading its source and is woken when the inbox has been emptied, so nothing is ever dropped. An owner that would
// rather take many items at once than each as it comes may rest; what is urgent ends its rest.
//
// Thread: Push and IsFull from any, Take and Rest from the owner.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"

namespace berth::runtime {

template <class T>
class Inbox {
 public:
  // `on_emptied` is called from Take, on the owner's thread, when an inbox was emptied that a writer had found full.
  Inbox(size_t limit, std::move_only_function<void()> on_emptied) : limit_(limit), on_emptied_(std::move(on_emptied)) {}

  void Push(T item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
      has_items_.store(true, std::memory_order_release);
    }
    // Whoever is woken needs the lock.
    ready_.notify_one();
  }
  void Push(std::vector<T> items, bool are_urgent = false) {
    {
      const std::lock_guard lock(mutex_);
      if (items_.empty()) {
        items_.swap(items);
      } else {
        for (T& item : items) items_.push_back(std::move(item));
      }
      has_items_.store(true, std::memory_order_release);
      are_urgent_ = are_urgent_ || are_urgent;
    }
    ready_.notify_one();
    if (are_urgent) urgent_.notify_one();
  }

  // Whether a writer should wait. Having said so, the inbox tells when it was emptied.
  bool IsFull() {
    const std::lock_guard lock(mutex_);
    if (items_.size() < limit_) return false;
    awaited_ = true;
    return true;
  }

  // Cheap: for an owner that is busy with something else.
  bool HasItems() const { return has_items_.load(std::memory_order_acquire); }

  // Waits for so long, or until there is something urgent, and says whether there is. Nothing is taken.
  bool Rest(Duration time) {
    std::unique_lock lock(mutex_);
    return urgent_.wait_for(lock, std::chrono::nanoseconds(time.nanos), [this] { return are_urgent_; });
  }

  // Everything there is, in order; waits at most `wait` for something to come, without a limit if it is absent. `taken`
  // is replaced: its memory is used for what comes next.
  void Take(std::vector<T>& taken, std::optional<Duration> wait) {
    taken.clear();
    bool emptied = false;
    {
      std::unique_lock lock(mutex_);
      const auto is_ready = [this] { return !items_.empty(); };
      if (!wait) {
        ready_.wait(lock, is_ready);
      } else if (wait->nanos > 0) {
        ready_.wait_for(lock, std::chrono::nanoseconds(wait->nanos), is_ready);
      }
      std::swap(taken, items_);
      has_items_.store(false, std::memory_order_release);
      are_urgent_ = false;
      emptied = std::exchange(awaited_, false);
    }
    if (emptied) on_emptied_();
  }

 private:
  const size_t limit_;
  std::move_only_function<void()> on_emptied_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::condition_variable urgent_;
  std::vector<T> items_;
  bool awaited_ = false;
  bool are_urgent_ = false;  // Some of them.
  std::atomic<bool> has_items_ = false;
};

}  // namespace berth::runtime
