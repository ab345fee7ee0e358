// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/namespaces/namespace_controller.h"

#include <gtest/gtest.h>

#include "server/model/find_condition.h"
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

// Those that leave their pods alone unless they are told not to do so as well.
TEST(NamespaceController, NothingIsOrphanedOnTheWay) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "namespaces", "metadata: {name: team}");
  cluster.Create("batch", "jobs", R"(
metadata: {name: work, namespace: team}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}
)");
  cluster.Run(Milliseconds(500));
  ASSERT_EQ(cluster.Pods("team").size(), 1U);
  const Revision before = cluster.store.revision();
  cluster.Delete("", "namespaces", "team");
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "namespaces", "team"), nullptr);
  const auto changes = cluster.store.ChangesAfter(cluster.Get("batch", "jobs"), before);
  ASSERT_FALSE(changes->empty());
  for (const ChangePtr& change : *changes) {
    EXPECT_FALSE((*change->object->tree())["metadata"].Has("finalizers"));
  }
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

Json NamespaceCondition(const TestCluster& cluster, std::string_view type) {
  return FindCondition(cluster.Tree("", "namespaces", "team")["status"]["conditions"], type);
}

TEST(NamespaceController, DeletesPodsBeforeTheRest) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "namespaces", "metadata: {name: team}");
  cluster.Create("", "configmaps", "metadata: {name: settings, namespace: team}");
  cluster.Create("", "pods", R"(
metadata: {name: held, namespace: team, finalizers: [example.com/hold]}
spec: {containers: [{name: a, image: a}]}
)");
  cluster.Run();
  cluster.Delete("", "namespaces", "team");
  cluster.Run();

  ASSERT_EQ(cluster.Pods("team").size(), 1U);
  EXPECT_TRUE(cluster.Pods("team")[0]->is_being_deleted());
  EXPECT_NE(cluster.Find("", "configmaps", "settings", "team"), nullptr);
  EXPECT_EQ(NamespaceCondition(cluster, "NamespaceDeletionContentFailure")["status"].text(), "False");
  EXPECT_EQ(NamespaceCondition(cluster, "NamespaceContentRemaining")["message"].text(),
            "All content successfully removed");
  cluster.Change("", "pods", "held", [](Json& pod) { pod.Make("metadata").Erase("finalizers"); }, "", "team");
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "namespaces", "team"), nullptr);
}

TEST(NamespaceController, TellsWhatRemains) {
  TestCluster cluster;
  cluster.Create("", "namespaces", "metadata: {name: team}");
  for (const char* name : {"a", "b"}) {
    cluster.Create("", "configmaps",
                   std::string("metadata: {name: ") + name + ", namespace: team, finalizers: [example.com/hold]}");
  }
  cluster.Create("apps", "deployments", R"(
metadata: {name: web, namespace: team, finalizers: [example.com/other]}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}
)");
  cluster.Delete("", "namespaces", "team");
  cluster.Run();

  const Json content = NamespaceCondition(cluster, "NamespaceContentRemaining");
  EXPECT_EQ(content["status"].text(), "True");
  EXPECT_EQ(content["reason"].text(), "SomeResourcesRemain");
  EXPECT_EQ(content["message"].text(),
            "Some resources are remaining: configmaps. has 2 resource instances, deployments.apps has 1 resource "
            "instances");
  const Json finalizers = NamespaceCondition(cluster, "NamespaceFinalizersRemaining");
  EXPECT_EQ(finalizers["reason"].text(), "SomeFinalizersRemain");
  EXPECT_EQ(finalizers["message"].text(),
            "Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances, "
            "example.com/other in 1 resource instances");
  for (const char* type : {"NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure",
                           "NamespaceDeletionContentFailure"}) {
    EXPECT_EQ(NamespaceCondition(cluster, type)["status"].text(), "False") << type;
  }
}

TEST(NamespaceController, TellsOfPodsThatShouldHaveEnded) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "namespaces", "metadata: {name: team}");
  cluster.Create("", "pods", R"(
metadata: {name: lost, namespace: team}
spec: {containers: [{name: a, image: a}], tolerations: [{operator: Exists}]}
)");
  cluster.Run();
  // Nothing is heard of the kubelet any more.
  const auto silence = [](Json& node) {
    for (Json& condition : node.Make({"status", "conditions"}).mutable_items()) {
      if (condition["type"].text() == "Ready") condition.Set("status", "Unknown");
    }
  };
  cluster.Change("", "nodes", "node-1", silence, "status");
  cluster.Delete("", "namespaces", "team");
  cluster.Run(Seconds(5));
  EXPECT_EQ(NamespaceCondition(cluster, "NamespaceDeletionContentFailure")["status"].text(), "False");
  cluster.Run(Seconds(40));
  EXPECT_EQ(NamespaceCondition(cluster, "NamespaceDeletionContentFailure")["message"].text(),
            "Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: team for "
            "gvr: /v1, Resource=pods");
}

TEST(NamespaceController, LeavesTheFinalizersOfOthers) {
  TestCluster cluster;
  cluster.Create("", "namespaces", "metadata: {name: team}\nspec: {finalizers: [kubernetes, example.com/own]}");
  cluster.Delete("", "namespaces", "team");
  cluster.Run();
  EXPECT_EQ(cluster.Tree("", "namespaces", "team")["spec"]["finalizers"].ToText(), R"(["example.com/own"])");
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
