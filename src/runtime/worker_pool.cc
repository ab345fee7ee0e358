// SPDX-License-Identifier: Apache-2.0
#include "runtime/worker_pool.h"

namespace berth::runtime {

WorkerPool::~WorkerPool() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
}

void WorkerPool::Run(const Job& job) {
  while (threads_.size() + 1 < workers_) threads_.emplace_back([this] { Work(); });
  {
    const std::scoped_lock lock(mutex_);
    job_ = &job;
    ++round_;
  }
  wake_.notify_all();
  job();
  std::unique_lock lock(mutex_);
  job_ = nullptr;
  idle_.wait(lock, [this] { return busy_ == 0; });
}

void WorkerPool::Work() {
  uint64_t done = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return ending_ || (job_ != nullptr && round_ != done); });
    if (ending_) return;
    const Job& job = *job_;
    done = round_;
    ++busy_;
    lock.unlock();
    job();
    lock.lock();
    if (--busy_ == 0) idle_.notify_one();
  }
}

}  // namespace berth::runtime
