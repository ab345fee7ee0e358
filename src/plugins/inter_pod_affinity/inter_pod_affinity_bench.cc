// SPDX-License-Identifier: Apache-2.0
// InterPodAffinity on 5,000 nodes with 150,000 pods: all its parts of one cycle.

#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

#include <benchmark/benchmark.h>

#include "plugins/helpers/bench_cluster.h"

namespace berth::plugins {
namespace {

constexpr char kZone[] = "topology.kubernetes.io/zone";
constexpr char kHost[] = "kubernetes.io/hostname";

void RunCycles(benchmark::State& state, cluster::Cluster& cluster, const api::Pod& pod) {
  const InterPodAffinity plugin{InterPodAffinity::Args{}};
  const cluster::PodPtr info = cluster.MakePod(pod);
  for (auto _ : state) BenchCycle(plugin, cluster, info);
}

cluster::Cluster& PlainCluster() {
  static const std::unique_ptr<cluster::Cluster> cluster = MakeBenchCluster({});
  return *cluster;
}

// 500 templates with a required anti-affinity term each, one of which concerns the pod.
cluster::Cluster& AntiAffinityCluster() {
  static const std::unique_ptr<cluster::Cluster> cluster = MakeBenchCluster({.anti_affinity = true});
  return *cluster;
}

cluster::PodBuilder Required() {
  return cluster::PodBuilder("p")
      .Label("app", "app-7")
      .Affinity(cluster::Term(kZone, {{"app", "app-7"}}))
      .AntiAffinity(cluster::Term(kHost, {{"app", "app-9"}}));
}

void InterPodRequired(benchmark::State& state) { RunCycles(state, PlainCluster(), Required()); }
BENCHMARK(InterPodRequired)->Unit(benchmark::kMicrosecond);

void InterPodPreferred(benchmark::State& state) {
  RunCycles(state, PlainCluster(),
            cluster::PodBuilder("p")
                .Label("app", "app-7")
                .PreferredAffinity(5, cluster::Term(kZone, {{"app", "app-7"}}))
                .PreferredAntiAffinity(5, cluster::Term(kHost, {{"app", "app-9"}})));
}
BENCHMARK(InterPodPreferred)->Unit(benchmark::kMicrosecond);

void InterPodRequiredAmongOthers(benchmark::State& state) { RunCycles(state, AntiAffinityCluster(), Required()); }
BENCHMARK(InterPodRequiredAmongOthers)->Unit(benchmark::kMicrosecond);

void InterPodNoTermsAmongOthers(benchmark::State& state) {
  RunCycles(state, AntiAffinityCluster(), cluster::PodBuilder("p").Label("app", "app-7"));
}
BENCHMARK(InterPodNoTermsAmongOthers)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::plugins
