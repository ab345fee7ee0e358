// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/disruption_budgets.h"

#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/test_builders.h"

namespace berth::plugins {
namespace {

using cluster::PodBuilder;

api::PodDisruptionBudget Budget(std::string name, std::optional<api::LabelSelector> selector, int32_t allowed,
                                std::vector<std::string> disrupted = {}) {
  api::PodDisruptionBudget budget;
  budget.meta.ns = "default";
  budget.meta.name = std::move(name);
  budget.selector = std::move(selector);
  budget.disruptions_allowed = allowed;
  budget.disrupted_pods = std::move(disrupted);
  return budget;
}

api::LabelSelector App(const char* app) { return cluster::MatchLabels({{"app", app}}); }

std::vector<uint8_t> Overdrawn(std::vector<api::PodDisruptionBudget> budgets, std::vector<api::Pod> pods) {
  cluster::Cluster cluster;
  for (api::PodDisruptionBudget& budget : budgets) cluster.objects.pod_disruption_budgets.Put(std::move(budget));
  std::vector<cluster::PodPtr> infos;
  for (api::Pod& pod : pods) infos.push_back(cluster.MakePod(std::move(pod)));
  DisruptionBudgets evictions(cluster.objects.pod_disruption_budgets);

  const std::vector<uint8_t> first = evictions.Overdrawn(infos);

  EXPECT_EQ(evictions.Overdrawn(infos), first) << "every call starts with the full budgets";
  return first;
}

TEST(DisruptionBudgets, EvictionsOverdrawABudgetOnceItIsUsedUp) {
  using Flags = std::vector<uint8_t>;
  const api::Pod a = PodBuilder("a").Label("app", "web");
  const api::Pod b = PodBuilder("b").Label("app", "web");
  const api::Pod both = PodBuilder("both").Label("app", "web").Label("tier", "front");
  const api::Pod elsewhere = PodBuilder("c").Namespace("other").Label("app", "web");
  const api::Pod bare = PodBuilder("d");
  api::LabelSelector invalid;
  invalid.match_expressions.push_back({"app", "Resembles", {"web"}});
  api::LabelSelector not_db;
  not_db.match_expressions.push_back({"app", "NotIn", {"db"}});

  EXPECT_EQ(Overdrawn({}, {a, b}), (Flags{0, 0}));
  EXPECT_EQ(Overdrawn({Budget("x", App("web"), 0)}, {a, b}), (Flags{1, 1}));
  EXPECT_EQ(Overdrawn({Budget("x", App("web"), 1)}, {a, b}), (Flags{0, 1}));
  EXPECT_EQ(Overdrawn({Budget("x", App("db"), 0)}, {a, b}), (Flags{0, 0}));
  EXPECT_EQ(Overdrawn({Budget("x", App("web"), 0)}, {elsewhere, bare}), (Flags{0, 0}));
  EXPECT_EQ(Overdrawn({Budget("x", not_db, 0)}, {a, bare}), (Flags{1, 0})) << "no labels, no budget";
  EXPECT_EQ(Overdrawn({Budget("x", std::nullopt, 0)}, {a}), (Flags{0}));
  EXPECT_EQ(Overdrawn({Budget("x", api::LabelSelector(), 0)}, {a}), (Flags{0}));
  EXPECT_EQ(Overdrawn({Budget("x", invalid, 0)}, {a}), (Flags{0}));
  EXPECT_EQ(Overdrawn({Budget("x", App("web"), 0, {"a"})}, {a, b}), (Flags{0, 1})) << "disrupted already";
  EXPECT_EQ(
      Overdrawn({Budget("x", App("web"), 5), Budget("y", cluster::MatchLabels({{"tier", "front"}}), 0)}, {a, both}),
      (Flags{0, 1}));
}

TEST(DisruptionBudgets, BudgetsBehindAnOverdrawnOneAreNotCharged) {
  const api::Pod both = PodBuilder("both").Label("app", "web").Label("tier", "front");
  const api::Pod front = PodBuilder("front").Label("tier", "front");

  const auto flags =
      Overdrawn({Budget("x", App("web"), 0), Budget("y", cluster::MatchLabels({{"tier", "front"}}), 1)}, {both, front});

  EXPECT_EQ(flags, (std::vector<uint8_t>{1, 0}));
}

}  // namespace
}  // namespace berth::plugins
