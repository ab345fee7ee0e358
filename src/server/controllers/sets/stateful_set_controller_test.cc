// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/stateful_set_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

void SetPartition(TestCluster& cluster, int64_t partition) {
  cluster.Change("apps", "statefulsets", "db", [&](Json& set) {
    set.Make({"spec", "updateStrategy", "rollingUpdate"}).Set("partition", Json::Int(partition));
  });
}

std::string DbImage(const TestCluster& cluster, std::string_view pod) {
  return cluster.Tree("", "pods", pod)["spec"]["containers"][size_t{0}]["image"].text();
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
  SetPartition(cluster, 2);
  SetDbImage(cluster, "db:2");
  cluster.Run();
  EXPECT_EQ(DbImage(cluster, "db-0"), "db:1");
  EXPECT_EQ(DbImage(cluster, "db-1"), "db:1");
  EXPECT_EQ(DbImage(cluster, "db-2"), "db:2");
  const Json status = cluster.Tree("apps", "statefulsets", "db")["status"];
  EXPECT_EQ(status["updatedReplicas"].IntOr(0), 1);
  EXPECT_EQ(status["currentReplicas"].IntOr(0), 2);
  EXPECT_NE(status["currentRevision"], status["updateRevision"]);
}

TEST(StatefulSetController, APodBelowThePartitionIsMadeAgainAsItWas) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "statefulsets", StatefulSet("OrderedReady"));
  cluster.Run();
  SetPartition(cluster, 2);
  SetDbImage(cluster, "db:2");
  cluster.Run();

  cluster.Delete("", "pods", "db-0");
  cluster.Delete("", "pods", "db-2");
  cluster.Run();

  EXPECT_EQ(DbImage(cluster, "db-0"), "db:1");
  EXPECT_EQ(DbImage(cluster, "db-2"), "db:2");
  const Json status = cluster.Tree("apps", "statefulsets", "db")["status"];
  EXPECT_EQ(status["currentReplicas"].IntOr(0), 2);
  SetPartition(cluster, 0);
  cluster.Run();
  EXPECT_EQ(DbImage(cluster, "db-0"), "db:2");
  const Json after = cluster.Tree("apps", "statefulsets", "db")["status"];
  EXPECT_EQ(after["currentRevision"], status["updateRevision"]);
  EXPECT_EQ(after["currentReplicas"].IntOr(0), 3);
}

TEST(StatefulSetController, KeepsEachTemplateAsARevisionAndGoesBackToIt) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  const ObjectPtr set = cluster.Create("apps", "statefulsets", StatefulSet("Parallel"));
  cluster.Change("apps", "statefulsets", "db",
                 [](Json& changed) { changed.Make("spec").Set("revisionHistoryLimit", Json::Int(1)); });
  cluster.Run();
  const std::string first = cluster.Tree("apps", "statefulsets", "db")["status"]["updateRevision"].text();
  SetDbImage(cluster, "db:2");
  cluster.Run();
  const std::string second = cluster.Tree("apps", "statefulsets", "db")["status"]["updateRevision"].text();
  const Json revision = cluster.Tree("apps", "controllerrevisions", first);
  EXPECT_EQ(revision["revision"].IntOr(0), 1);
  EXPECT_EQ(revision["metadata"]["ownerReferences"][size_t{0}]["uid"].text(), set->uid());
  EXPECT_EQ(first, "db-" + revision["metadata"]["labels"]["controller.kubernetes.io/hash"].text());
  EXPECT_EQ(cluster.Tree("apps", "controllerrevisions", second)["revision"].IntOr(0), 2);

  // As kubectl does it: the data is a patch of the set.
  cluster.Change("apps", "statefulsets", "db", [&](Json& changed) {
    Json old = revision["data"]["spec"]["template"];
    EXPECT_EQ(old["$patch"].text(), "replace");
    old.Erase("$patch");
    changed.Make("spec").Set("template", old);
  });
  cluster.Run();

  EXPECT_EQ(cluster.Tree("apps", "statefulsets", "db")["status"]["currentRevision"].text(), first);
  EXPECT_EQ(cluster.Tree("apps", "controllerrevisions", first)["revision"].IntOr(0), 3);
  EXPECT_EQ(cluster.Find("", "pods", "db-0")->labels().Get("controller-revision-hash"), first);
  SetDbImage(cluster, "db:3");
  cluster.Run();
  EXPECT_EQ(cluster.Find("apps", "controllerrevisions", second), nullptr);
  EXPECT_NE(cluster.Find("apps", "controllerrevisions", first), nullptr);
}

TEST(StatefulSetController, NothingMovesPastAPodThatIsNotReady) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  std::string gated = StatefulSet("OrderedReady");
  gated.replace(gated.find("spec: {containers"), 7, "spec: {readinessGates: [{conditionType: x/ready}], ");
  cluster.Create("apps", "statefulsets", gated);
  const auto set_ready = [&](std::string_view pod, std::string_view value) {
    cluster.Change(
        "", "pods", pod,
        [&](Json& changed) {
          SetPodCondition(changed, Json{{"type", Json::String("x/ready")}, {"status", Json::String(value)}},
                          cluster.objects.now());
        },
        "status");
    cluster.Run();
  };
  const auto scale = [&](int64_t replicas) {
    cluster.Change("apps", "statefulsets", "db",
                   [&](Json& set) { set.Make("spec").Set("replicas", Json::Int(replicas)); });
    cluster.Run();
    return cluster.Pods().size();
  };

  cluster.Run();
  for (const std::string_view pod : {"db-0", "db-1", "db-2"}) set_ready(pod, "True");
  set_ready("db-0", "False");

  EXPECT_EQ(scale(5), 3U);
  EXPECT_EQ(scale(1), 3U) << "the first pod that should stay is not ready";
  set_ready("db-0", "True");
  EXPECT_EQ(cluster.Pods().size(), 1U);
}

TEST(StatefulSetController, AsManyPodsAreReplacedAtATimeAsMayBeMissing) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "statefulsets", StatefulSet("OrderedReady"));
  cluster.Change("apps", "statefulsets", "db", [](Json& set) {
    set.Make("spec").Set("replicas", Json::Int(4));
    set.Make({"spec", "updateStrategy", "rollingUpdate"}).Set("maxUnavailable", Json::Int(2));
  });
  cluster.Run();
  SetDbImage(cluster, "db:2");
  size_t least = 4;
  for (int i = 0; i < 300; ++i) {
    cluster.timers.Advance(Milliseconds(5));
    size_t ready = 0;
    for (const char* pod : {"db-0", "db-1", "db-2", "db-3"}) ready += IsReady(cluster, pod) ? 1 : 0;
    least = std::min(least, ready);
    cluster.Run(Milliseconds(10));
  }
  EXPECT_EQ(least, 2U);
  EXPECT_EQ(DbImage(cluster, "db-0"), "db:2");
}

TEST(StatefulSetController, ClaimsGoAsTheRetentionPolicySays) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "statefulsets", StatefulSet("OrderedReady"));
  cluster.Change("apps", "statefulsets", "db", [](Json& set) {
    Json& policy = set.Make({"spec", "persistentVolumeClaimRetentionPolicy"});
    policy.Set("whenDeleted", "Delete");
    policy.Set("whenScaled", "Delete");
  });
  cluster.Run();
  const auto has_claim = [&](std::string_view name) {
    return cluster.Find("", "persistentvolumeclaims", name) != nullptr;
  };
  ASSERT_TRUE(has_claim("data-db-2"));

  cluster.Change("apps", "statefulsets", "db", [](Json& set) { set.Make("spec").Set("replicas", Json::Int(2)); });
  cluster.Run();

  EXPECT_FALSE(has_claim("data-db-2"));
  EXPECT_TRUE(has_claim("data-db-1"));
  cluster.Delete("apps", "statefulsets", "db");
  cluster.Run();
  EXPECT_FALSE(has_claim("data-db-0"));
}

TEST(StatefulSetController, ReportsPodsAndClaims) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "statefulsets", StatefulSet("OrderedReady"));
  cluster.Run();

  const std::vector<std::string> events = cluster.Events("db");

  EXPECT_THAT(events,
              testing::Contains("Normal SuccessfulCreate: Create Claim data-db-0 Pod db-0 in StatefulSet db success"));
  EXPECT_THAT(events, testing::Contains("Normal SuccessfulCreate: Create Pod db-2 in StatefulSet db successful"));
}

TEST(StatefulSetController, TakesOverItsPodsAndNoOthers) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  const ObjectPtr set = cluster.Create("apps", "statefulsets", StatefulSet("OrderedReady"));
  cluster.Create("", "pods", "metadata: {name: other, labels: {app: db}}\nspec: {containers: [{name: a, image: a}]}");
  cluster.Run();
  const auto owner = [&](std::string_view pod) {
    return cluster.Tree("", "pods", pod)["metadata"]["ownerReferences"][size_t{0}]["uid"].text();
  };

  cluster.Change("", "pods", "db-1", [](Json& pod) { pod.Make("metadata").Erase("ownerReferences"); });
  cluster.Run(Milliseconds(200));

  EXPECT_EQ(owner("db-1"), set->uid());
  EXPECT_EQ(owner("other"), "");
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
