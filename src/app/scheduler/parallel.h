// SPDX-License-Identifier: Apache-2.0
// ParallelUntil: the pieces of a loop, run by the workers of a pool until enough was found.
//
// Pieces are claimed in order and in chunks. A piece is left out only if one before it has found enough, so what the
// pieces up to the first such one have written does not depend on the number of workers, nor on luck.

#pragma once

#include <exception>
#include <vector>

#include "framework/parallelizer.h"
#include "runtime/worker_pool.h"

namespace berth::scheduler_app {

struct PieceError {
  size_t piece = 0;
  std::exception_ptr error;
};

// Calls `body` for pieces from 0 on, several at once. False means that no piece behind it is needed; those that have
// been begun are finished all the same. What pieces before it throw is collected, in their order, and stops nothing.
std::vector<PieceError> ParallelUntil(runtime::WorkerPool& pool, size_t pieces,
                                      const framework::Parallelizer::Body& body);

// How many pieces a worker claims at once: many enough for claims to be rare, few enough for all to end together.
size_t ChunkSize(size_t pieces, size_t workers);

// Lends the threads of a pool to the core.
class PoolParallelizer final : public framework::Parallelizer {
 public:
  explicit PoolParallelizer(size_t workers) : pool_(workers) {}

  void Until(size_t pieces, const Body& body) override;

 private:
  runtime::WorkerPool pool_;
};

}  // namespace berth::scheduler_app
