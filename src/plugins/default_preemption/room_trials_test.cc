// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/room_trials.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "cluster/test_builders.h"
#include "plugins/default_binder/default_binder.h"
#include "plugins/default_preemption/dry_run.h"
#include "plugins/node_ports/node_ports.h"
#include "plugins/node_resources_fit/node_resources_fit.h"
#include "plugins/priority_sort/priority_sort.h"

namespace berth::plugins {
namespace {

std::unique_ptr<framework::Profile> RoomProfile() {
  framework::Registry registry;
  framework::ProfileConfiguration configuration;
  EXPECT_TRUE(registry.Add<PrioritySort>());
  EXPECT_TRUE(registry.Add<NodePorts>());
  EXPECT_TRUE(registry.Add<NodeResourcesFit>());
  EXPECT_TRUE(registry.Add<DefaultBinder>());
  for (const framework::PluginRow& row : registry.rows())
    configuration.plugins.multi_point.enabled.push_back({row.name});
  return framework::Profile::Create(configuration, registry, framework::FeatureGates()).value();
}

// A few crowded nodes, with budgets for some of the pods.
void FillAtRandom(cluster::Cluster& cluster, Random& random) {
  for (int n = 0; n < 8; ++n) {
    const std::string cpu = std::to_string(2 + random.Below(6));
    const std::string pods = std::to_string(4 + random.Below(8));
    const std::string gpus = std::to_string(random.Below(4));
    cluster.AddNode(cluster::NodeBuilder(fmt::format("n{}", n))
                        .Capacity(cpu.c_str(), "8Gi", pods.c_str())
                        .Allocatable("example.com/gpu", gpus.c_str()));
  }
  for (int p = 0; p < 60; ++p) {
    cluster::PodBuilder pod(fmt::format("p{}", p));
    pod.Node(fmt::format("n{}", random.Below(8))).Label("app", fmt::format("a{}", random.Below(4)));
    pod.Request("cpu", fmt::format("{}m", 100 * random.Below(12)).c_str());
    if (random.Below(3) == 0) pod.Request("memory", fmt::format("{}Mi", 256 * random.Below(8)).c_str());
    if (random.Below(4) == 0) pod.Request("example.com/gpu", "1");
    pod.Priority(static_cast<int32_t>(random.Below(12))).StartedAt(Time{static_cast<int64_t>(random.Below(5))});
    EXPECT_TRUE(cluster.AddPod(cluster.MakePod(pod)));
  }
  for (uint64_t app = 0; app < random.Below(4); ++app) {
    api::PodDisruptionBudget budget;
    budget.meta.ns = "default";
    budget.meta.name = fmt::format("a{}", app);
    budget.selector = cluster::MatchLabels({{"app", budget.meta.name}});
    budget.disruptions_allowed = static_cast<int32_t>(random.Below(3));
    cluster.objects.pod_disruption_budgets.Put(std::move(budget));
  }
}

// Some pods go, one comes, and others are nominated to nodes.
void Change(cluster::Cluster& cluster, int round, Random& random) {
  for (const cluster::NodeSlot node : cluster.order()) {
    const std::vector<cluster::PodPtr>& pods = cluster.nodes().pods[node.index].pods;
    if (pods.empty() || random.Below(2) == 0) continue;
    const cluster::PodPtr gone = pods[random.Below(pods.size())];
    EXPECT_TRUE(cluster.RemovePod(*gone));
  }
  const auto any_node = [&] { return fmt::format("n{}", random.Below(8)); };
  EXPECT_TRUE(cluster.AddPod(cluster.MakePod(
      cluster::PodBuilder(fmt::format("late{}", round)).Node(any_node()).Request("cpu", "700m").Priority(3))));
  for (int n = 0; n < 3; ++n) {
    cluster::PodBuilder rival(fmt::format("rival{}-{}", round, n));
    rival.Priority(6 + static_cast<int32_t>(random.Below(4)))
        .Request("cpu", fmt::format("{}", random.Below(3)).c_str());
    if (random.Below(3) == 0) rival.Request("example.com/gpu", "1");
    cluster.nominated.Set(cluster.MakePod(rival), any_node());
  }
}

std::string TrialText(const RoomTrials::Outcome& outcome) {
  if (!outcome) return outcome.error().message();
  std::string text = fmt::format("{} violations:", outcome->pdb_violations);
  for (const cluster::PodPtr& victim : outcome->victims) text += " " + victim->name;
  return text;
}

TEST(RoomTrials, ComeToTheResultOfDryRunsWithFilters) {
  const std::unique_ptr<framework::Profile> profile = RoomProfile();
  framework::SmallestNameChooser chooser;
  framework::CycleBuffers buffers;
  size_t compared = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    cluster::Cluster cluster;
    FillAtRandom(cluster, random);
    cluster::PodBuilder pod("preemptor");
    pod.Priority(8).Request("cpu", fmt::format("{}m", 500 + 100 * random.Below(30)).c_str());
    if (random.Below(2) == 0) pod.Request("memory", "4Gi").Request("example.com/gpu", "2");
    framework::Cycle cycle(cluster.MakePod(pod), cluster, chooser, buffers, profile->plugin_count());
    ASSERT_TRUE(profile->RunPreFilter(cycle).status.ok());
    DisruptionBudgets budgets(cluster.objects.pod_disruption_budgets);
    KeptPods kept;
    for (int round = 0; round < 3; ++round) {
      RoomTrials trials(*profile, cycle, cluster.order(), budgets, kept);
      for (const cluster::NodeSlot node : cluster.order()) {
        if (profile->RunFiltersOnNode(cycle, node).ok()) continue;
        const std::optional<RoomTrials::Outcome> outcome = trials.Try(node);
        ASSERT_TRUE(outcome.has_value());
        ASSERT_EQ(TrialText(*outcome), TrialText(DryRunOnNode(*profile, cycle, node, budgets)));
        ++compared;
      }
      Change(cluster, round, random);
    }
  }
  EXPECT_GT(compared, 400U);
}

TEST(RoomTrials, LeaveToFiltersWhatIsNotAMatterOfRoom) {
  const std::unique_ptr<framework::Profile> profile = RoomProfile();
  framework::SmallestNameChooser chooser;
  framework::CycleBuffers buffers;
  cluster::Cluster cluster;
  cluster.AddNode(cluster::NodeBuilder("n1").Capacity("1", "8Gi"));
  cluster.AddNode(cluster::NodeBuilder("n2").Capacity("1", "9E"));
  DisruptionBudgets budgets(cluster.objects.pod_disruption_budgets);
  KeptPods kept;
  const auto is_told = [&](const cluster::PodBuilder& pod, uint32_t node) {
    framework::Cycle cycle(cluster.MakePod(pod), cluster, chooser, buffers, profile->plugin_count());
    EXPECT_TRUE(profile->RunPreFilter(cycle).status.ok());
    return RoomTrials(*profile, cycle, cluster.order(), budgets, kept).Try(cluster::NodeSlot{node}).has_value();
  };

  EXPECT_TRUE(is_told(cluster::PodBuilder("p").Request("cpu", "2"), 0));
  EXPECT_FALSE(is_told(cluster::PodBuilder("p").Request("cpu", "2").Request("memory", "1"), 1)) << "absurd amounts";
  EXPECT_FALSE(is_told(cluster::PodBuilder("p").Request("cpu", "2").HostPort(80), 0)) << "ports matter";
}

}  // namespace
}  // namespace berth::plugins
