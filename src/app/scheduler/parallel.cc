// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

namespace berth::scheduler_app {
namespace {

// One loop under way. The atomics are relaxed: they hand out numbers and nothing else. What pieces write is handed over
// by the lock of the pool.
class ParallelLoop {
 public:
  ParallelLoop(size_t pieces, size_t chunk, const framework::Parallelizer::Body& body)
      : pieces_(pieces), chunk_(chunk), body_(body), end_(pieces) {}

  // What each worker does.
  void Work() {
    while (true) {
      const size_t begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
      const size_t end = std::min(pieces_, begin + chunk_);
      for (size_t piece = begin; piece < end; ++piece) {
        if (piece >= end_.load(std::memory_order_relaxed)) return;
        RunPiece(piece);
      }
      if (end >= pieces_) return;
    }
  }

  // REQUIRES: no worker is at it any more.
  std::vector<PieceError> TakeErrors() {
    const size_t end = end_.load(std::memory_order_relaxed);
    std::erase_if(errors_, [end](const PieceError& error) { return error.piece >= end; });
    std::ranges::sort(errors_, {}, &PieceError::piece);
    return std::move(errors_);
  }

 private:
  void RunPiece(size_t piece) {
    try {
      if (!body_(piece)) EndBefore(piece + 1);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      errors_.push_back({piece, std::current_exception()});
    }
  }

  void EndBefore(size_t piece) {
    size_t end = end_.load(std::memory_order_relaxed);
    while (piece < end && !end_.compare_exchange_weak(end, piece, std::memory_order_relaxed)) {
    }
  }

  const size_t pieces_;
  const size_t chunk_;
  const framework::Parallelizer::Body& body_;
  std::atomic<size_t> next_ = 0;
  std::atomic<size_t> end_;  // Pieces from here on are not needed.
  std::mutex mutex_;
  std::vector<PieceError> errors_;  // Guarded by mutex_.
};

}  // namespace

size_t ChunkSize(size_t pieces, size_t workers) {
  const auto root = static_cast<size_t>(std::sqrt(static_cast<double>(pieces)));
  return std::clamp<size_t>(root, 1, pieces / workers + 1);
}

std::vector<PieceError> ParallelUntil(runtime::WorkerPool& pool, size_t pieces,
                                      const framework::Parallelizer::Body& body) {
  if (pieces == 0) return {};
  ParallelLoop loop(pieces, ChunkSize(pieces, pool.workers()), body);
  pool.Run([&loop] { loop.Work(); });
  return loop.TakeErrors();
}

void PoolParallelizer::Until(size_t pieces, const Body& body) {
  const std::vector<PieceError> errors = ParallelUntil(pool_, pieces, body);
  if (!errors.empty()) std::rethrow_exception(errors.front().error);
}

}  // namespace berth::scheduler_app
