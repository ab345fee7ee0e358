// SPDX-License-Identifier: Apache-2.0
// Scheduling cycles per second on 5,000 nodes with 150,000 pods, default profile, all nodes filtered and scored.
//
// A cycle is everything from the pod to its reservation: pre-enqueue, pre-filter, filter, score, select, assume, reserve. The pods are
// made beforehand; each stays where it was placed, so the cluster changes with every cycle as in life.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "cluster/test_builders.h"
#include "config/config.h"
#include "plugins/registry.h"
#include "scheduler/scheduler.h"

namespace berth {
namespace {

using cluster::PodBuilder;

constexpr int kNodes = 5'000;
constexpr int kPods = 150'000;
constexpr int kApps = 500;
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kHostname = "kubernetes.io/hostname";

std::unique_ptr<scheduler::Scheduler> MakeScheduler() {
  const framework::FeatureGates gates;
  auto core = scheduler::Scheduler::Create(config::Default(gates), plugins::BuiltIn(), gates,
                                           std::make_unique<framework::SeededChooser>(1))
                  .value();
  for (int i = 0; i < kNodes; ++i) {
    core->Put(cluster::NodeBuilder(fmt::format("node-{}", i)).Capacity("64", "256Gi").Zone(fmt::format("zone-{}", i % 3)).Build());
  }
  for (int i = 0; i < kPods; ++i) {
    const int app = i % kApps;
    PodBuilder pod(fmt::format("app-{}-{}", app, i));
    pod.Label("app", fmt::format("app-{}", app)).Node(fmt::format("node-{}", i % kNodes)).SchedulerName("default-scheduler");
    pod.Request("cpu", fmt::format("{}m", 50 + 10 * (app % 20)).c_str()).Request("memory", fmt::format("{}Mi", 64 + 16 * (app % 30)).c_str());
    // One app in ten keeps its replicas on different nodes.
    if (app % 10 == 0) pod.AntiAffinity(cluster::Term(std::string(kHostname), {{"app", fmt::format("app-{}", app)}}));
    core->Put(pod.Build());
  }
  return core;
}

PodBuilder Plain(int i) {
  PodBuilder pod(fmt::format("new-{}", i));
  pod.SchedulerName("default-scheduler").Request("cpu", "100m").Request("memory", "128Mi").Label("app", "new");
  return pod;
}

PodBuilder Spread(int i) {
  PodBuilder pod = Plain(i);
  pod.Spread(1, std::string(kZone), "DoNotSchedule", {{"app", "new"}});
  pod.Spread(1, std::string(kHostname), "ScheduleAnyway", {{"app", "new"}});
  return pod;
}

PodBuilder Affinity(int i) {
  PodBuilder pod = Plain(i);
  pod.Affinity(cluster::Term(std::string(kZone), {{"app", "app-1"}}));
  // At most as many pods as nodes can keep apart: a new group begins before the nodes run out.
  const std::string group = fmt::format("group-{}", i / 2'000);
  pod.Label("group", group).AntiAffinity(cluster::Term(std::string(kHostname), {{"group", group}}));
  return pod;
}

template <PodBuilder (*Make)(int)>
void BM_Cycle(benchmark::State& state) {
  const std::unique_ptr<scheduler::Scheduler> core = MakeScheduler();
  int made = 0;
  for (auto _ : state) {
    state.PauseTiming();
    core->Put(Make(made).Build());
    const cluster::PodPtr pod = core->pending().begin()->second;
    ++made;
    state.ResumeTiming();
    const scheduler::Attempt attempt = core->Try(pod);
    if (attempt.decision.outcome != scheduler::Outcome::kScheduled) state.SkipWithError(attempt.decision.message.c_str());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Cycle<Plain>)->Name("Cycle/plain")->Iterations(20'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Cycle<Spread>)->Name("Cycle/hard_zone_soft_hostname_spread")->Iterations(10'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Cycle<Affinity>)->Name("Cycle/required_affinity_and_anti_affinity")->Iterations(10'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth
