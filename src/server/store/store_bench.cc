// SPDX-License-Identifier: Apache-2.0
#include "server/store/store.h"

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "base/assert.h"
#include "server/store/test_pod.h"

namespace berth::server {
namespace {

struct World {
  Catalog catalog;
  const Resource& pods = catalog.Get("", "pods");
  Store store{catalog};
  int64_t next = 0;

  ObjectPtr PutNew() { return store.Put(pods, BenchPod(next++)); }
};

void Fill(World& world, int64_t count) {
  while (world.next < count) world.PutNew();
}

// Pods that are created among 100,000, with the copy of the tree that a request would make.
void BM_PutNewPods(benchmark::State& state) {
  World world;
  Fill(world, 100000);
  for (auto _ : state) world.PutNew();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_PutNewPods)->Iterations(20000);

void BM_PutChangedPods(benchmark::State& state) {
  World world;
  Fill(world, 20000);
  for (auto _ : state) {
    if (world.next == 20000) world.next = 0;
    world.PutNew();
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["history_MB"] = static_cast<double>(world.store.history_bytes()) / 1e6;
}
BENCHMARK(BM_PutChangedPods)->Iterations(200000);

// What a watcher adds to a write: nothing but the first of each encoding.
void BM_Frame(benchmark::State& state) {
  World world;
  const auto encoding = static_cast<Encoding>(state.range(0));
  world.store.Listen([&](const ChangePtr& change) { benchmark::DoNotOptimize(change->Frame(encoding)); });
  for (auto _ : state) {
    world.next = 0;
    world.PutNew();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Frame)->Arg(0)->Arg(1)->ArgName("protobuf");

// A page of a list of 100,000 pods at a revision 1000 changes ago.
void BM_PageOfThePast(benchmark::State& state) {
  World world;
  Fill(world, 100000);
  for (auto _ : state) {
    size_t count = 0;
    world.store.StateAt(world.pods, world.store.revision() - 1000)->VisitFrom("", [&](const ObjectPtr&) {
      return ++count < 500;
    });
    BERTH_ASSERT(count == 500);
  }
}
BENCHMARK(BM_PageOfThePast);

// Memory of a pod in the store, its change in the history included.
void BM_MemoryOfPods(benchmark::State& state) {
  for (auto _ : state) {
    World world;
    const size_t before = mallinfo2().uordblks;
    Fill(world, 100000);
    state.counters["bytes_per_pod"] = static_cast<double>(mallinfo2().uordblks - before) / 100000;
    state.counters["text_bytes"] = static_cast<double>(world.PutNew()->json()->size());
  }
}
BENCHMARK(BM_MemoryOfPods)->Iterations(1);

}  // namespace
}  // namespace berth::server
