// SPDX-License-Identifier: Apache-2.0
// DefaultPreemption on 5,000 full nodes with 30 pods of lower priority each.

#include "plugins/default_preemption/default_preemption.h"

#include <benchmark/benchmark.h>

#include <type_traits>

#include "cluster/test_builders.h"
#include "framework/diagnosis.h"
#include "framework/profile.h"
#include "plugins/default_binder/default_binder.h"
#include "plugins/node_affinity/node_affinity.h"
#include "plugins/node_ports/node_ports.h"
#include "plugins/node_resources_fit/node_resources_fit.h"
#include "plugins/priority_sort/priority_sort.h"
#include "plugins/taint_toleration/taint_toleration.h"

namespace berth::plugins {
namespace {

std::unique_ptr<framework::Profile> MakeProfile() {
  framework::Registry registry;
  framework::ProfileConfiguration configuration;
  (void)registry.Add<PrioritySort>();
  (void)registry.Add<TaintToleration>();
  (void)registry.Add<NodeAffinity>();
  (void)registry.Add<NodePorts>();
  (void)registry.Add<NodeResourcesFit>();
  (void)registry.Add<DefaultPreemption>();
  (void)registry.Add<DefaultBinder>();
  for (const framework::PluginRow& row : registry.rows())
    configuration.plugins.multi_point.enabled.push_back({row.name});
  return framework::Profile::Create(configuration, registry, framework::FeatureGates()).value();
}

// Every pod belongs to one of 500 apps.
cluster::Cluster& FullCluster() {
  static cluster::Cluster cluster;
  if (cluster.pod_count() > 0) return cluster;
  for (int n = 0; n < 5000; ++n)
    cluster.AddNode(cluster::NodeBuilder("node-" + std::to_string(n)).Capacity("30", "1Ti"));
  for (int p = 0; p < 150'000; ++p) {
    (void)cluster.AddPod(cluster.MakePod(cluster::PodBuilder("pod-" + std::to_string(p))
                                             .Node("node-" + std::to_string(p % 5000))
                                             .Label("app", "app-" + std::to_string(p % 500))
                                             .Request("cpu", "1")
                                             .StartedAt(Time{p})));
  }
  return cluster;
}

void RunPostFilter(benchmark::State& state, cluster::Cluster& cluster) {
  const std::unique_ptr<framework::Profile> profile = MakeProfile();
  framework::SeededChooser chooser(1);
  framework::CycleBuffers buffers;
  const cluster::PodPtr pod = cluster.MakePod(cluster::PodBuilder("p").Priority(10).Request("cpu", "3"));
  for (auto _ : state) {
    framework::Cycle cycle(pod, cluster, chooser, buffers, profile->plugin_count());
    (void)profile->RunPreFilter(cycle);
    cycle.candidates().Reset(cluster.order(), cluster.nodes().slot_limit());
    profile->RunFilters(cycle, cycle.candidates());
    framework::Diagnosis diagnosis;
    diagnosis.candidates = &cycle.candidates();
    diagnosis.node_count = cluster.order().size();
    framework::Effects effects;
    benchmark::DoNotOptimize(profile->RunPostFilter(cycle, diagnosis, effects));
  }
}

// Ends with 500 candidates.
void PreemptionWithoutBudgets(benchmark::State& state) { RunPostFilter(state, FullCluster()); }
BENCHMARK(PreemptionWithoutBudgets)->Unit(benchmark::kMillisecond);

// Every eviction violates a budget, so all nodes are tried.
void PreemptionWithUsedUpBudgets(benchmark::State& state) {
  cluster::Cluster& cluster = FullCluster();
  for (int app = 0; app < 500; ++app) {
    api::PodDisruptionBudget budget;
    budget.meta.ns = "default";
    budget.meta.name = "app-" + std::to_string(app);
    budget.selector = cluster::MatchLabels({{"app", budget.meta.name}});
    cluster.objects.pod_disruption_budgets.Put(std::move(budget));
  }
  RunPostFilter(state, cluster);
}
BENCHMARK(PreemptionWithUsedUpBudgets)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::plugins
