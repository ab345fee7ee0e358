// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/cluster_role_aggregation.h"

#include <gtest/gtest.h>

#include "server/access/bootstrap_policy.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kAccess = "rbac.authorization.k8s.io";

std::string RuleFor(std::string_view name, std::string_view label, std::string_view resource) {
  return "metadata: {name: " + std::string(name) + ", labels: {to: " + std::string(label) + "}}\n" +
         "rules: [{apiGroups: [''], resources: [" + std::string(resource) + "], verbs: [get]}]";
}

TEST(ClusterRoleAggregation, CollectsTheRulesOfTheRolesThatItSelects) {
  TestCluster cluster;
  const auto rules = [&] { return cluster.Tree(kAccess, "clusterroles", "all")["rules"]; };
  cluster.Create(kAccess, "clusterroles",
                 "metadata: {name: all, labels: {to: x}}\n"
                 "aggregationRule: {clusterRoleSelectors: [{matchLabels: {to: x}}, {matchLabels: {to: w}}]}\n"
                 "rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]");
  cluster.Run();
  EXPECT_TRUE(rules().empty()) << rules().ToText();

  cluster.Create(kAccess, "clusterroles", RuleFor("b", "w", "pods"));
  cluster.Create(kAccess, "clusterroles", RuleFor("c", "x", "nodes"));
  cluster.Create(kAccess, "clusterroles", RuleFor("d", "x", "pods"));
  cluster.Create(kAccess, "clusterroles", RuleFor("e", "z", "secrets"));
  cluster.Run();
  // Those of the first selector come first, none twice.
  ASSERT_EQ(rules().size(), 2U) << rules().ToText();
  EXPECT_EQ(rules()[size_t{0}]["resources"].ToText(), R"(["nodes"])");
  EXPECT_EQ(rules()[size_t{1}]["resources"].ToText(), R"(["pods"])");

  cluster.Delete(kAccess, "clusterroles", "c");
  cluster.Run();
  EXPECT_EQ(rules().size(), 1U);
}

TEST(ClusterRoleAggregation, FillsTheRolesThatPeopleAreGiven) {
  TestCluster cluster;
  ASSERT_TRUE(CreateBootstrapPolicy(cluster.objects));
  cluster.Run();

  const auto count = [&](std::string_view name) { return cluster.Tree(kAccess, "clusterroles", name)["rules"].size(); };
  EXPECT_GT(count("view"), 5U);
  EXPECT_GT(count("edit"), count("view"));
  EXPECT_GT(count("admin"), count("edit"));
}

}  // namespace
}  // namespace berth::server
