// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

namespace berth::scheduler_app {
namespace {

using runtime::WorkerPool;
using ::testing::Each;
using ::testing::ElementsAre;

std::vector<size_t> PiecesOf(const std::vector<PieceError>& errors) {
  std::vector<size_t> pieces;
  for (const PieceError& error : errors) pieces.push_back(error.piece);
  return pieces;
}

TEST(WorkerPool, OneWorkerIsTheCaller) {
  WorkerPool pool(1);
  std::set<std::thread::id> threads;

  pool.Run([&] { threads.insert(std::this_thread::get_id()); });

  EXPECT_THAT(threads, ElementsAre(std::this_thread::get_id()));
}

TEST(WorkerPool, AllWorkersCanBeAtItTogether) {
  WorkerPool pool(4);
  std::atomic<int> present = 0;

  // None returns before all have come.
  pool.Run([&] {
    ++present;
    while (present < 4) std::this_thread::yield();
  });

  EXPECT_EQ(present, 4);
}

TEST(WorkerPool, DoesOneJobAfterTheOther) {
  WorkerPool pool(3);
  for (int round = 0; round < 2000; ++round) {
    std::atomic<int> calls = 0;
    pool.Run([&] { ++calls; });
    EXPECT_GE(calls, 1);
    EXPECT_LE(calls, 3);
  }
}

TEST(ParallelUntil, RunsEveryPieceOnce) {
  for (const size_t workers : {1, 2, 16}) {
    WorkerPool pool(workers);
    for (const size_t pieces : {0, 1, 2, 15, 1000}) {
      std::vector<int> runs(pieces);
      const std::vector<PieceError> errors = ParallelUntil(pool, pieces, [&](size_t i) {
        ++runs[i];
        return true;
      });
      EXPECT_THAT(runs, Each(1));
      EXPECT_TRUE(errors.empty());
    }
  }
}

TEST(ParallelUntil, ThePiecesBeforeTheFirstThatFoundEnoughAreAllRun) {
  for (const size_t workers : {1, 2, 16}) {
    WorkerPool pool(workers);
    for (int round = 0; round < 50; ++round) {
      std::vector<int> runs(2000);
      (void)ParallelUntil(pool, runs.size(), [&](size_t i) {
        ++runs[i];
        return i != 700 && i != 1500;
      });
      EXPECT_THAT(std::vector<int>(runs.begin(), runs.begin() + 701), Each(1));
      EXPECT_LE(*std::ranges::max_element(runs), 1);
    }
  }
}

TEST(ParallelUntil, NoPieceIsBegunOnceEnoughWasFound) {
  WorkerPool pool(4);
  std::atomic<size_t> runs = 0;
  (void)ParallelUntil(pool, 1'000'000, [&](size_t) {
    ++runs;
    return false;
  });

  EXPECT_LE(runs, 4U);
}

TEST(ParallelUntil, APieceThatWasBegunIsFinished) {
  WorkerPool pool(2);
  std::atomic<bool> second_has_begun = false;
  std::atomic<bool> first_is_over = false;
  std::atomic<bool> second_is_over = false;

  // Two pieces make two chunks; each waits for the other.
  (void)ParallelUntil(pool, 2, [&](size_t i) {
    if (i == 0) {
      while (!second_has_begun) std::this_thread::yield();
      first_is_over = true;
      return false;
    }
    second_has_begun = true;
    while (!first_is_over) std::this_thread::yield();
    second_is_over = true;
    return true;
  });

  EXPECT_TRUE(second_is_over);
}

TEST(ParallelUntil, ExceptionsAreCollectedInTheOrderOfTheirPieces) {
  for (const size_t workers : {1, 2, 16}) {
    WorkerPool pool(workers);
    std::atomic<size_t> runs = 0;
    const std::vector<PieceError> errors = ParallelUntil(pool, 500, [&](size_t i) {
      ++runs;
      if (i % 100 == 7) throw std::runtime_error(std::to_string(i));
      return true;
    });
    EXPECT_EQ(runs, 500U);
    EXPECT_THAT(PiecesOf(errors), ElementsAre(7, 107, 207, 307, 407));
  }
}

TEST(ParallelUntil, ExceptionsBehindThePieceThatFoundEnoughDoNotCount) {
  for (const size_t workers : {1, 2, 16}) {
    WorkerPool pool(workers);
    for (int round = 0; round < 100; ++round) {
      const std::vector<PieceError> errors = ParallelUntil(pool, 500, [&](size_t i) {
        if (i % 10 == 3) throw std::runtime_error("odd");
        return i != 15;
      });
      EXPECT_THAT(PiecesOf(errors), ElementsAre(3, 13));
    }
  }
}

TEST(ParallelUntil, ChunksAreSmallAndLeaveSomethingForEveryWorker) {
  EXPECT_EQ(ChunkSize(1, 16), 1U);
  EXPECT_EQ(ChunkSize(100, 2), 10U);
  EXPECT_EQ(ChunkSize(100, 16), 7U);
  EXPECT_EQ(ChunkSize(5000, 16), 70U);
}

TEST(PoolParallelizer, ThrowsWhatTheFirstPieceThrew) {
  for (const size_t workers : {1, 2, 16}) {
    PoolParallelizer parallelizer(workers);
    const auto run = [&] {
      parallelizer.Until(1000, [](size_t i) -> bool {
        if (i >= 40) throw std::runtime_error(std::to_string(i));
        return true;
      });
    };
    EXPECT_THAT(run, ::testing::ThrowsMessage<std::runtime_error>("40"));
  }
}

}  // namespace
}  // namespace berth::scheduler_app
