// SPDX-License-Identifier: Apache-2.0
// From which number of nodes on, and for how slow a plugin, a search with several threads pays.

#include <benchmark/benchmark.h>

#include "app/scheduler/parallel.h"
#include "plugins/helpers/bench_cluster.h"

namespace berth::scheduler_app {
namespace {

// Computes for a while.
class SlowFilter final : public framework::FilterPlugin {
 public:
  explicit SlowFilter(int64_t rounds) : rounds_(rounds) {}
  bool parallel() const override { return true; }
  framework::Status FilterNode(framework::Cycle&, cluster::NodeSlot node) const override {
    uint64_t value = node.index;
    for (int64_t i = 0; i < rounds_; ++i) benchmark::DoNotOptimize(value = value * 6364136223846793005U + 1);
    return framework::Status::Success();
  }

 private:
  const int64_t rounds_;
};

// Nodes, rounds per node, workers (0: none).
void BM_FilterNodes(benchmark::State& state) {
  const auto cluster = plugins::MakeBenchCluster({.nodes = static_cast<int>(state.range(0)), .pods = 0});
  const auto pod = cluster->MakePod(cluster::PodBuilder("pod"));
  const SlowFilter filter(state.range(1));
  framework::SmallestNameChooser chooser;
  framework::CycleBuffers buffers;
  PoolParallelizer parallelizer(static_cast<size_t>(std::max<int64_t>(state.range(2), 1)));
  if (state.range(2) > 0) buffers.parallelizer = &parallelizer;
  framework::Cycle cycle(pod, *cluster, chooser, buffers, 1);
  for (auto _ : state) {
    buffers.candidates.Reset(cluster->order(), cluster->nodes().slot_limit());
    filter.Filter(cycle, buffers.candidates);
  }
}
BENCHMARK(BM_FilterNodes)->ArgsProduct({{500, 1000, 5000}, {20, 200, 2000}, {0, 2}})->UseRealTime();

// What it costs to give the workers something to do and to wait for them.
void BM_HandOver(benchmark::State& state) {
  PoolParallelizer parallelizer(static_cast<size_t>(state.range(0)));
  for (auto _ : state) parallelizer.Until(64, [](size_t) { return true; });
}
BENCHMARK(BM_HandOver)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace berth::scheduler_app
