// SPDX-License-Identifier: Apache-2.0
// Scheduling cycles per second on 5,000 nodes with 150,000 pods, default profile, all nodes filtered and scored.
//
// A cycle is one step of the core: the pod is taken from the queue, filtered, scored, assumed, reserved, and its
// binding is ordered. Pods arrive and bindings are answered between the cycles, which is not counted; each pod stays
// where it was placed, so the cluster changes with every cycle as in life.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "cluster/test_builders.h"
#include "config/config.h"
#include "plugins/registry.h"
#include "scheduler/core.h"

namespace berth {
namespace {

using cluster::PodBuilder;

constexpr int kNodes = 5'000;
constexpr int kPods = 150'000;
constexpr int kApps = 500;
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kHostname = "kubernetes.io/hostname";

constexpr Time kNow{1'000'000'000'000'000};

void Put(scheduler::Core& core, api::Object object) { core.Step({kNow, scheduler::PutObject{std::move(object)}}); }

std::unique_ptr<scheduler::Core> MakeCore() {
  const framework::FeatureGates gates;
  auto core = scheduler::Core::Create(config::Default(gates), plugins::BuiltIn(), gates,
                                      std::make_unique<framework::SeededChooser>(1), kNow)
                  .value();
  for (int i = 0; i < kNodes; ++i) {
    Put(*core, cluster::NodeBuilder(fmt::format("node-{}", i))
                   .Capacity("64", "256Gi")
                   .Zone(fmt::format("zone-{}", i % 3))
                   .Build());
  }
  for (int i = 0; i < kPods; ++i) {
    const int app = i % kApps;
    PodBuilder pod(fmt::format("app-{}-{}", app, i));
    pod.Label("app", fmt::format("app-{}", app))
        .Node(fmt::format("node-{}", i % kNodes))
        .SchedulerName("default-scheduler");
    pod.Request("cpu", fmt::format("{}m", 50 + 10 * (app % 20)).c_str())
        .Request("memory", fmt::format("{}Mi", 64 + 16 * (app % 30)).c_str());
    // One app in ten keeps its replicas on different nodes.
    if (app % 10 == 0) pod.AntiAffinity(cluster::Term(std::string(kHostname), {{"app", fmt::format("app-{}", app)}}));
    Put(*core, pod.Build());
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

// Each of 3,000 apps keeps its replicas on different nodes and likes to be near itself.
PodBuilder AppWithTerms(int i) {
  const std::string app = fmt::format("team-{}", i % 3'000);
  PodBuilder pod(fmt::format("new-{}", i));
  pod.SchedulerName("default-scheduler").Request("cpu", "100m").Request("memory", "128Mi").Label("app", app);
  pod.AntiAffinity(cluster::Term(std::string(kHostname), {{"app", app}}));
  pod.PreferredAffinity(10, cluster::Term(std::string(kZone), {{"app", app}}));
  return pod;
}

PodBuilder PreferredAffinity(int i) {
  PodBuilder pod = Plain(i);
  pod.PreferredAffinity(10, cluster::Term(std::string(kZone), {{"app", "app-1"}}));
  pod.PreferredAntiAffinity(10, cluster::Term(std::string(kHostname), {{"app", "new"}}));
  return pod;
}

// Answers the binding and reports the pod on its node. False if there is none.
bool Carry(scheduler::Core& core, api::Pod pod, const std::vector<scheduler::IssuedEffect>& effects) {
  for (const scheduler::IssuedEffect& issued : effects) {
    const auto* binding = std::get_if<framework::BindPod>(&issued.effect);
    if (binding == nullptr) continue;
    pod.node_name = binding->node_name;
    Put(core, std::move(pod));
    core.Step(
        {kNow, scheduler::EffectAnswer{.id = issued.id, .code = scheduler::EffectAnswer::Code::kOk, .message = ""}});
    return true;
  }
  return false;
}

// What a live scheduler keeps of attempts.
constexpr size_t kRecordBytes = size_t{32} << 20;

template <PodBuilder (*Make)(int), size_t record_bytes = 0>
void BM_Cycle(benchmark::State& state) {
  const std::unique_ptr<scheduler::Core> core = MakeCore();
  core->set_record_limits({.bytes = record_bytes});
  int made = 0;
  for (auto _ : state) {
    state.PauseTiming();
    api::Pod pod = Make(made++).Build();
    Put(*core, pod);
    state.ResumeTiming();
    const std::vector<scheduler::IssuedEffect> effects = core->Step({kNow, scheduler::ScheduleNext{}});
    state.PauseTiming();
    if (!Carry(*core, std::move(pod), effects)) state.SkipWithError("a pod was not placed");
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Cycle<Plain>)->Name("Cycle/plain")->Iterations(20'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Cycle<Plain, kRecordBytes>)
    ->Name("Cycle/plain_with_records")
    ->Iterations(20'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Cycle<Spread>)
    ->Name("Cycle/hard_zone_soft_hostname_spread")
    ->Iterations(10'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Cycle<Spread, kRecordBytes>)
    ->Name("Cycle/hard_zone_soft_hostname_spread_with_records")
    ->Iterations(10'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Cycle<Affinity>)
    ->Name("Cycle/required_affinity_and_anti_affinity")
    ->Iterations(10'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Cycle<PreferredAffinity>)
    ->Name("Cycle/preferred_affinity_and_anti_affinity")
    ->Iterations(10'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Cycle<AppWithTerms>)
    ->Name("Cycle/3000_apps_with_own_terms")
    ->Iterations(10'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Cycle<Affinity, kRecordBytes>)
    ->Name("Cycle/required_affinity_and_anti_affinity_with_records")
    ->Iterations(10'000)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth
