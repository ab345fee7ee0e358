// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "base/assert.h"
#include "runtime/test_files.h"
#include "server/store/journal.h"
#include "server/store/test_pod.h"

namespace berth::server {
namespace {

struct World {
  explicit World(const std::string& directory) : journal(*Journal::Open(directory, catalog, store)) {}

  Catalog catalog;
  Store store{catalog};
  std::unique_ptr<Journal> journal;
};

// Pods that are created, so many between two flushes.
void BM_JournalOfNewPods(benchmark::State& state) {
  const runtime::TestDirectory directory;
  World world(directory.path());
  const Resource& pods = world.catalog.Get("", "pods");
  int64_t next = 0;
  for (auto _ : state) {
    world.store.Put(pods, BenchPod(next++));
    if (next % state.range(0) == 0) BERTH_ASSERT(world.journal->Flush());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_JournalOfNewPods)->Arg(1)->Arg(100)->Iterations(20000);

void BM_JournalRestore(benchmark::State& state) {
  const runtime::TestDirectory directory;
  {
    World world(directory.path());
    for (int64_t i = 0; i < state.range(0); ++i) world.store.Put(world.catalog.Get("", "pods"), BenchPod(i));
  }
  for (auto _ : state) {
    const World world(directory.path());
    BERTH_ASSERT(world.store.total_count() == static_cast<size_t>(state.range(0)));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_JournalRestore)->Arg(20000);

}  // namespace
}  // namespace berth::server
