// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/pod_resizing.h"

#include <gtest/gtest.h>

#include "server/model/find_condition.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

void AddSizedPod(TestCluster& cluster, const std::string& name, const std::string& cpu, const std::string& more = "") {
  cluster.Create("", "pods",
                 "metadata: {name: " + name + "}\nspec: {containers: [{name: a, image: a" + more +
                     ", resources: {requests: {cpu: " + cpu + ", memory: 1Gi}}}]}");
}

void ResizeTo(TestCluster& cluster, std::string_view name, const std::string& cpu) {
  cluster.Change(
      "", "pods", name,
      [&](Json& pod) {
        pod.Make({"spec", "containers"}).mutable_items()[0].Make({"resources", "requests"}).Set("cpu", cpu);
      },
      "resize");
}

Json ContainerOf(const TestCluster& cluster, std::string_view name) {
  return cluster.Tree("", "pods", name)["status"]["containerStatuses"][size_t{0}];
}
Json PendingOf(const TestCluster& cluster, std::string_view name) {
  return FindCondition(cluster.Tree("", "pods", name)["status"]["conditions"], "PodResizePending");
}

TEST(PodResizing, ARunningPodGetsWhatItIsResizedTo) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddSizedPod(cluster, "pod", "1");
  cluster.Run(Seconds(1));
  EXPECT_EQ(ContainerOf(cluster, "pod")["allocatedResources"]["cpu"].text(), "1");
  EXPECT_EQ(ContainerOf(cluster, "pod")["resources"]["requests"]["memory"].text(), "1Gi");

  std::vector<std::string> progress;
  cluster.store.Listen([&](const ChangePtr& change) {
    const Json pod = change->object->Tree();
    const Json& condition = FindCondition(pod["status"]["conditions"], "PodResizeInProgress");
    if (change->object->name() != "pod" || condition.is_null()) return;
    const Json& status = pod["status"]["containerStatuses"][size_t{0}];
    progress.push_back(status["allocatedResources"]["cpu"].text() + " " +
                       status["resources"]["requests"]["cpu"].text());
  });
  ResizeTo(cluster, "pod", "3");
  cluster.Run(Seconds(1));

  EXPECT_EQ(progress, std::vector<std::string>{"3 1"}) << "it is granted before it is done";
  EXPECT_EQ(ContainerOf(cluster, "pod")["resources"]["requests"]["cpu"].text(), "3");
  EXPECT_EQ(ContainerOf(cluster, "pod")["restartCount"].IntOr(-1), 0);
  const Json pod = cluster.Tree("", "pods", "pod");
  EXPECT_TRUE(FindCondition(pod["status"]["conditions"], "PodResizeInProgress").is_null());
  EXPECT_EQ(pod["status"]["observedGeneration"], pod["metadata"]["generation"]);
}

TEST(PodResizing, AContainerWhosePolicyAsksForItStartsAgain) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddSizedPod(cluster, "pod", "1", ", resizePolicy: [{resourceName: cpu, restartPolicy: RestartContainer}]");
  cluster.Run(Seconds(1));

  ResizeTo(cluster, "pod", "2");
  cluster.Run(Seconds(1));

  EXPECT_EQ(ContainerOf(cluster, "pod")["restartCount"].IntOr(-1), 1);
  EXPECT_TRUE(ContainerOf(cluster, "pod")["ready"].AsBool());
}

TEST(PodResizing, AResizeWaitsUntilItsNodeHasRoom) {
  TestCluster cluster;
  cluster.AddNode("node-1");  // 8 cores.
  AddSizedPod(cluster, "first", "3");
  AddSizedPod(cluster, "second", "3");
  cluster.Run(Seconds(1));

  ResizeTo(cluster, "first", "6");
  cluster.Run(Seconds(1));

  EXPECT_EQ(PendingOf(cluster, "first")["reason"].text(), "Deferred");
  EXPECT_EQ(PendingOf(cluster, "first")["message"].text(),
            "Node didn't have enough resource: cpu, requested: 6000, used: 3000, capacity: 8000");
  EXPECT_EQ(PendingOf(cluster, "first")["observedGeneration"].IntOr(0), 2);
  EXPECT_EQ(ContainerOf(cluster, "first")["allocatedResources"]["cpu"].text(), "3");
  const Revision before = cluster.Find("", "pods", "first")->revision();
  cluster.Run(Seconds(1));
  EXPECT_EQ(cluster.Find("", "pods", "first")->revision(), before) << "nothing is written again and again";

  ResizeTo(cluster, "second", "2");
  cluster.Run(Seconds(1));
  EXPECT_TRUE(PendingOf(cluster, "first").is_null());
  EXPECT_EQ(ContainerOf(cluster, "first")["allocatedResources"]["cpu"].text(), "6");
}

TEST(PodResizing, OfThoseThatWaitTheMoreImportantComesFirst) {
  TestCluster cluster;
  cluster.Create("scheduling.k8s.io", "priorityclasses", "metadata: {name: high}\nvalue: 10");
  cluster.AddNode("node-1");
  for (const char* name : {"a", "b", "gone"}) {
    cluster.Create("", "pods",
                   std::string("metadata: {name: ") + name + "}\nspec: {" +
                       (std::string(name) == "b" ? "priorityClassName: high, " : "") +
                       "containers: [{name: a, image: a, resources: {requests: {cpu: 2}}}]}");
  }
  cluster.Run(Seconds(1));
  ResizeTo(cluster, "a", "5");
  cluster.Run(Seconds(1));
  ResizeTo(cluster, "b", "5");
  cluster.Run(Seconds(1));
  ASSERT_FALSE(PendingOf(cluster, "a").is_null());
  ASSERT_FALSE(PendingOf(cluster, "b").is_null());

  cluster.Delete("", "pods", "gone");
  cluster.Run(Seconds(1));

  EXPECT_FALSE(PendingOf(cluster, "a").is_null());
  EXPECT_TRUE(PendingOf(cluster, "b").is_null());
}

TEST(PodResizing, AResizeThatIsTakenBackIsForgotten) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddSizedPod(cluster, "pod", "1");
  cluster.Run(Seconds(1));
  ResizeTo(cluster, "pod", "100");
  cluster.Run(Seconds(1));
  ASSERT_FALSE(PendingOf(cluster, "pod").is_null());

  ResizeTo(cluster, "pod", "1");
  cluster.Run(Seconds(1));

  EXPECT_TRUE(PendingOf(cluster, "pod").is_null());
  EXPECT_EQ(ContainerOf(cluster, "pod")["allocatedResources"]["cpu"].text(), "1");
}

}  // namespace
}  // namespace berth::server
