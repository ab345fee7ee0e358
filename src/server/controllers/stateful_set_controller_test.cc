// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/stateful_set_controller.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

std::string StatefulSet(std::string_view policy) {
  return "metadata: {name: db}\nspec:\n  podManagementPolicy: " + std::string(policy) + R"(
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: db:1}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
)";
}

void SetDbImage(TestCluster& cluster, std::string_view image) {
  cluster.Change("apps", "statefulsets", "db", [&](Json& set) {
    set.Make({"spec", "template", "spec", "containers"}).mutable_items()[0].Set("image", image);
  });
}

bool IsReady(const TestCluster& cluster, std::string_view pod) {
  const PodInfo* info = cluster.loop.cluster().pods.Find(ObjectKey("default", pod));
  return info != nullptr && info->is_ready && !info->is_deleting;
}

TEST(StatefulSetController, MakesEachPodWhenTheOneBeforeItIsReady) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "statefulsets", StatefulSet("OrderedReady"));
  for (int i = 0; i < 200; ++i) {
    cluster.timers.Advance(Milliseconds(5));
    for (int ordinal = 1; ordinal < 3; ++ordinal) {
      const std::string name = "db-" + std::to_string(ordinal);
      const bool is_there = cluster.Find("", "pods", name) != nullptr;
      ASSERT_TRUE(!is_there || IsReady(cluster, "db-" + std::to_string(ordinal - 1)));
    }
    cluster.Run(Milliseconds(10));
  }
  ASSERT_EQ(cluster.CountPods("Running"), 3U);
  const Json pod = cluster.Tree("", "pods", "db-1");
  EXPECT_EQ(pod["spec"]["hostname"].text(), "db-1");
  EXPECT_EQ(pod["spec"]["subdomain"].text(), "db");
  EXPECT_EQ(pod["metadata"]["labels"]["apps.kubernetes.io/pod-index"].text(), "1");
  EXPECT_NE(cluster.Find("", "persistentvolumeclaims", "data-db-2"), nullptr);
  const Json status = cluster.Tree("apps", "statefulsets", "db")["status"];
  EXPECT_EQ(status["readyReplicas"].IntOr(0), 3);
  EXPECT_EQ(status["currentReplicas"].IntOr(0), 3);
  EXPECT_EQ(status["currentRevision"], status["updateRevision"]);
}

TEST(StatefulSetController, ParallelPodsDoNotWait) {
  TestCluster cluster;  // No node: nothing becomes ready.
  cluster.Create("apps", "statefulsets", StatefulSet("Parallel"));
  cluster.Run(Milliseconds(200));
  EXPECT_EQ(cluster.Pods().size(), 3U);
}

TEST(StatefulSetController, RemovesTheHighestFirstAndKeepsClaims) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "statefulsets", StatefulSet("OrderedReady"));
  cluster.Run();
  cluster.Change("apps", "statefulsets", "db", [](Json& set) { set.Make("spec").Set("replicas", Json::Int(1)); });
  for (int i = 0; i < 100; ++i) {
    cluster.Run(Milliseconds(10));
    ASSERT_TRUE(cluster.Find("", "pods", "db-2") == nullptr || cluster.Find("", "pods", "db-1") != nullptr);
  }
  ASSERT_EQ(cluster.Pods().size(), 1U);
  EXPECT_EQ(cluster.Pods()[0]->name(), "db-0");
  EXPECT_NE(cluster.Find("", "persistentvolumeclaims", "data-db-2"), nullptr);
}

TEST(StatefulSetController, ReplacesOnePodAfterTheOtherFromTheTop) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "statefulsets", StatefulSet("OrderedReady"));
  cluster.Run();
  SetDbImage(cluster, "db:2");
  for (int i = 0; i < 300; ++i) {
    cluster.Run(Milliseconds(10));
    int ready = 0;
    for (const char* pod : {"db-0", "db-1", "db-2"}) ready += IsReady(cluster, pod) ? 1 : 0;
    ASSERT_GE(ready, 2);
  }
  for (const ObjectPtr& pod : cluster.Pods()) {
    EXPECT_EQ(pod->Tree()["spec"]["containers"][size_t{0}]["image"].text(), "db:2");
  }
}

TEST(StatefulSetController, ThePartitionKeepsOldPods) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "statefulsets", StatefulSet("OrderedReady"));
  cluster.Run();
  cluster.Change("apps", "statefulsets", "db", [](Json& set) {
    set.Make({"spec", "updateStrategy", "rollingUpdate"}).Set("partition", Json::Int(2));
  });
  SetDbImage(cluster, "db:2");
  cluster.Run();
  const auto image = [&](std::string_view pod) {
    return cluster.Tree("", "pods", pod)["spec"]["containers"][size_t{0}]["image"].text();
  };
  EXPECT_EQ(image("db-0"), "db:1");
  EXPECT_EQ(image("db-1"), "db:1");
  EXPECT_EQ(image("db-2"), "db:2");
  const Json status = cluster.Tree("apps", "statefulsets", "db")["status"];
  EXPECT_EQ(status["updatedReplicas"].IntOr(0), 1);
  EXPECT_EQ(status["currentReplicas"].IntOr(0), 2);
  EXPECT_NE(status["currentRevision"], status["updateRevision"]);
}

TEST(StatefulSetController, ReplacesAPodThatFailed) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  const ObjectPtr set = cluster.Create("apps", "statefulsets", StatefulSet("OrderedReady"));
  cluster.Run();
  const std::string uid = cluster.Find("", "pods", "db-1")->uid();
  cluster.Change("", "pods", "db-1", [](Json& pod) { pod.Make("status").Set("phase", "Failed"); }, "status");
  cluster.Run();
  ASSERT_TRUE(IsReady(cluster, "db-1"));
  EXPECT_NE(cluster.Find("", "pods", "db-1")->uid(), uid);
}

}  // namespace
}  // namespace berth::server
