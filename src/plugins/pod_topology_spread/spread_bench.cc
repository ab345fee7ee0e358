// SPDX-License-Identifier: Apache-2.0
// PodTopologySpread on 5,000 nodes with 150,000 pods: all its parts of one cycle.

#include <benchmark/benchmark.h>

#include "plugins/helpers/bench_cluster.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"

namespace berth::plugins {
namespace {

constexpr char kZone[] = "topology.kubernetes.io/zone";
constexpr char kHost[] = "kubernetes.io/hostname";

void RunCycles(benchmark::State& state, const api::Pod& pod) {
  static const std::unique_ptr<cluster::Cluster> cluster = MakeBenchCluster({});
  spread::Options options;
  const PodTopologySpread plugin(options);
  const cluster::PodPtr info = cluster->MakePod(pod);
  for (auto _ : state) BenchCycle(plugin, *cluster, info);
}

void SpreadHardZoneSoftHost(benchmark::State& state) {
  RunCycles(state, cluster::PodBuilder("p")
                       .Label("app", "app-7")
                       .Spread(1, kZone, "DoNotSchedule", {{"app", "app-7"}})
                       .Spread(1, kHost, "ScheduleAnyway", {{"app", "app-7"}}));
}
BENCHMARK(SpreadHardZoneSoftHost)->Unit(benchmark::kMicrosecond);

void SpreadHardHostSoftZone(benchmark::State& state) {
  RunCycles(state, cluster::PodBuilder("p")
                       .Label("app", "app-7")
                       .Spread(5, kHost, "DoNotSchedule", {{"app", "app-7"}})
                       .Spread(1, kZone, "ScheduleAnyway", {{"app", "app-7"}}));
}
BENCHMARK(SpreadHardHostSoftZone)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::plugins
