// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/namespace_controller.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

TEST(NamespaceController, EmptiesANamespaceAndLetsItGo) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "namespaces", "metadata: {name: team}");
  cluster.Create("apps", "deployments", R"(
metadata: {name: web, namespace: team}
spec:
  replicas: 300
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}
)");
  cluster.Create("", "configmaps", "metadata: {name: settings, namespace: team, labels: {deletionTimestamp: never}}");
  cluster.Run();
  ASSERT_EQ(cluster.Pods("team").size(), 300U);
  cluster.Delete("", "namespaces", "team");
  EXPECT_EQ(cluster.Tree("", "namespaces", "team")["status"]["phase"].text(), "Terminating");
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "namespaces", "team"), nullptr);
  EXPECT_TRUE(cluster.Pods("team").empty());
  EXPECT_EQ(cluster.Find("", "configmaps", "settings", "team"), nullptr);
}

TEST(NamespaceController, WaitsForFinalizers) {
  TestCluster cluster;
  cluster.Create("", "namespaces", "metadata: {name: team}");
  cluster.Create("", "configmaps", "metadata: {name: held, namespace: team, finalizers: [example.com/hold]}");
  cluster.Delete("", "namespaces", "team");
  cluster.Run();
  ASSERT_NE(cluster.Find("", "namespaces", "team"), nullptr);
  cluster.Change("", "configmaps", "held", [](Json& map) { map.Make("metadata").Erase("finalizers"); }, "", "team");
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "namespaces", "team"), nullptr);
}

TEST(NamespaceController, NothingNewIsMadeMeanwhile) {
  TestCluster cluster(false);
  cluster.Create("", "namespaces", "metadata: {name: team}");
  cluster.Delete("", "namespaces", "team");
  const auto created = cluster.TryCreate(cluster.Get("", "configmaps"), "metadata: {name: late, namespace: team}");
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, 403);
}

}  // namespace
}  // namespace berth::server
