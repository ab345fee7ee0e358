// SPDX-License-Identifier: Apache-2.0
// How fast pods come and go, and what a large cluster costs in memory.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "cluster/cluster.h"
#include "cluster/test_builders.h"

namespace berth::cluster {
namespace {

constexpr int kNodes = 5'000;
constexpr int kPods = 150'000;
constexpr int kTemplates = 500;

api::Pod MakePod(int i, bool with_conditions) {
  const int app = i % kTemplates;
  PodBuilder pod(fmt::format("app-{}-7d9c5b8f6d-{:05}", app, i));
  pod.Uid(fmt::format("3f2b1c9e-0000-4000-8000-{:012}", i)).Namespace(fmt::format("team-{}", app % 20));
  pod.ResourceVersion(fmt::format("{}", 1'000'000 + i)).Node(fmt::format("node-{}.example.com", i % kNodes));
  pod.Label("app", fmt::format("app-{}", app)).Label("pod-template-hash", fmt::format("7d9c5b8f6d{}", app));
  pod.Owner("ReplicaSet", fmt::format("app-{}-7d9c5b8f6d", app)).CreatedAt(Time{i}).StartedAt(Time{i});
  pod.Image(fmt::format("registry.example.com/app-{}:v1", app)).Request("cpu", "100m").Request("memory", "128Mi");
  if (app % 10 == 0) pod.AntiAffinity(Term("kubernetes.io/hostname", {{"app", fmt::format("app-{}", app)}}));
  if (with_conditions) {
    for (const char* type : {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
      pod.Condition(type, "True");
    }
  }
  return pod;
}

void AddNodes(Cluster& cluster) {
  for (int i = 0; i < kNodes; ++i) {
    cluster.AddNode(
        NodeBuilder(fmt::format("node-{}.example.com", i)).Capacity("64", "256Gi").Zone(fmt::format("z{}", i % 3)));
  }
}

void AddPods(Cluster& cluster) {
  for (int i = 0; i < kPods; ++i) std::ignore = cluster.AddPod(cluster.MakePod(MakePod(i, false)));
}

// mallinfo2 counts what is in use, blocks that the allocator maps by themselves included.
size_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void BM_Memory(benchmark::State& state) {
  const bool with_conditions = state.range(0) != 0;
  for (auto _ : state) {
    const size_t before = BytesInUse();
    Cluster cluster;
    AddNodes(cluster);
    const size_t with_nodes = BytesInUse();
    for (int i = 0; i < kPods; ++i) std::ignore = cluster.AddPod(cluster.MakePod(MakePod(i, with_conditions)));
    const size_t with_pods = BytesInUse();
    state.counters["bytes_per_node"] = static_cast<double>(with_nodes - before) / kNodes;
    state.counters["bytes_per_pod"] = static_cast<double>(with_pods - with_nodes) / kPods;
    state.counters["total_mb"] = static_cast<double>(with_pods - before) / 1e6;
  }
}
BENCHMARK(BM_Memory)->ArgName("conditions")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->Iterations(1);

void BM_MakePod(benchmark::State& state) {
  Cluster cluster;
  const PodPtr first = cluster.MakePod(MakePod(0, false));
  const api::Pod pod = MakePod(0, false);
  for (auto _ : state) benchmark::DoNotOptimize(cluster.MakePod(pod));
}
BENCHMARK(BM_MakePod);

void BM_AddRemovePod(benchmark::State& state) {
  Cluster cluster;
  AddNodes(cluster);
  std::vector<PodPtr> pods;
  for (int i = 0; i < kPods; ++i) pods.push_back(cluster.MakePod(MakePod(i, false)));
  for (const PodPtr& pod : pods) std::ignore = cluster.AddPod(pod);
  for (int i = 0; i < state.range(0); ++i) {
    PodQuery query;
    query.namespaces = {fmt::format("team-{}", i % 20)};
    query.selectors = {api::Selector::FromLabels({{"app", fmt::format("app-{}", i)}})};
    cluster.CountPods(query);
  }
  size_t next = 0;
  for (auto _ : state) {
    const PodPtr& pod = pods[next++ % pods.size()];
    std::ignore = cluster.RemovePod(*pod);
    std::ignore = cluster.AddPod(pod);
  }
  state.SetItemsProcessed(state.iterations() * 2);
}
BENCHMARK(BM_AddRemovePod)->ArgName("counters")->Arg(0)->Arg(100)->Arg(500);

void BM_SaveRestore(benchmark::State& state) {
  Cluster cluster;
  AddNodes(cluster);
  AddPods(cluster);
  NodeTable& nodes = cluster.mutable_nodes();
  for (auto _ : state) nodes.Restore(NodeSlot{0}, nodes.Save(NodeSlot{0}));
}
BENCHMARK(BM_SaveRestore);

// A copy that changes nothing, from its making to its end.
void BM_Copy(benchmark::State& state) {
  Cluster cluster;
  AddNodes(cluster);
  AddPods(cluster);
  (void)cluster.order();
  for (auto _ : state) {
    const size_t before = BytesInUse();
    const Cluster copy(cluster);
    state.counters["copy_mb"] = static_cast<double>(BytesInUse() - before) / 1e6;
  }
}
BENCHMARK(BM_Copy)->Unit(benchmark::kMillisecond);

// What the original pays for its first changes while there is a copy.
void BM_ChangeWhileShared(benchmark::State& state) {
  Cluster cluster;
  AddNodes(cluster);
  AddPods(cluster);
  std::vector<PodPtr> pods;
  for (int i = 0; i < kPods; i += 100) {
    pods.push_back(cluster.FindPod(fmt::format("3f2b1c9e-0000-4000-8000-{:012}", i)));
  }
  for (auto _ : state) {
    state.PauseTiming();
    auto copy = std::make_unique<Cluster>(cluster);
    state.ResumeTiming();
    for (const PodPtr& pod : pods) {
      std::ignore = cluster.RemovePod(*pod);
      std::ignore = cluster.AddPod(pod);
    }
    state.PauseTiming();
    copy.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(pods.size()) * 2);
}
BENCHMARK(BM_ChangeWhileShared)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::cluster
