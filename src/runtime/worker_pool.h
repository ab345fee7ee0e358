// SPDX-License-Identifier: Apache-2.0
// WorkerPool: threads that wait for a job and do it together with the thread that has it.
//
// They are started by the first job and sleep between jobs. A thread that wakes up too late to be of use is not waited
// for.
//
// Thread: one at a time, and not from within a job.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::runtime {

class WorkerPool {
 public:
  using Job = std::function<void()>;

  // The caller counts as a worker. REQUIRES: workers > 0.
  explicit WorkerPool(size_t workers) : workers_(workers) {}
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  size_t workers() const { return workers_; }
  // Calls `job` here and, at the same time, on any of the threads, at most once each; returns when all calls have. What
  // the threads wrote is seen by the caller. REQUIRES: it does not throw.
  void Run(const Job& job);

 private:
  void Work();

  const size_t workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  // Guarded by mutex_.
  const Job* job_ = nullptr;
  uint64_t round_ = 0;  // Counts jobs.
  size_t busy_ = 0;     // Threads that are at it.
  bool ending_ = false;

  std::vector<std::jthread> threads_;
};

}  // namespace berth::runtime
