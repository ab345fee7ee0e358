// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/simulated_pods.h"

#include <gtest/gtest.h>

#include <set>

#include "server/nodes/address_pool.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

void AddPod(TestCluster& cluster, std::string_view name, std::string_view notes = "", std::string_view more = "") {
  cluster.Create("", "pods",
                 "metadata: {name: " + std::string(name) + ", annotations: {" + std::string(notes) +
                     "}}\nspec: {containers: [{name: a, image: a}]" + std::string(more) + "}");
}

std::string Phase(const TestCluster& cluster, std::string_view name) {
  return cluster.Tree("", "pods", name)["status"]["phase"].text();
}

TEST(SimulatedPods, ABoundPodRuns) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddPod(cluster, "pod", "", ", initContainers: [{name: i, image: i}], readinessGates: [{conditionType: x/ready}]");
  cluster.Run();
  const Json status = cluster.Tree("", "pods", "pod")["status"];
  EXPECT_EQ(status["phase"].text(), "Running");
  EXPECT_EQ(status["podIP"].text(), "10.0.0.1");
  EXPECT_TRUE(status["containerStatuses"][size_t{0}]["ready"].AsBool());
  EXPECT_EQ(status["initContainerStatuses"][size_t{0}]["state"]["terminated"]["reason"].text(), "Completed");
  EXPECT_TRUE(cluster.loop.cluster().pods.Find("default/pod")->is_ready);
}

TEST(SimulatedPods, PodsEndAndStartWhenTheirAnnotationsSay) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddPod(cluster, "completes", "berth.dev/complete-after: 10s");
  AddPod(cluster, "fails", "berth.dev/fail-after: 10s");
  AddPod(cluster, "starts", "berth.dev/start-after: 20s");
  cluster.Run(Seconds(9));
  EXPECT_EQ(Phase(cluster, "completes"), "Running");
  EXPECT_EQ(Phase(cluster, "starts"), "Pending");
  cluster.Run(Seconds(3));
  EXPECT_EQ(Phase(cluster, "completes"), "Succeeded");
  EXPECT_EQ(Phase(cluster, "fails"), "Failed");
  const Json failed =
      cluster.Tree("", "pods", "fails")["status"]["containerStatuses"][size_t{0}]["state"]["terminated"];
  EXPECT_EQ(failed["exitCode"].IntOr(0), 1);
  cluster.Run(Seconds(10));
  EXPECT_EQ(Phase(cluster, "starts"), "Running");
}

TEST(SimulatedPods, AnnotationsThatSayNoTimeAreRefusedInPodsAndTemplates) {
  const std::pair<std::string, std::string> cases[] = {
      {"soon", R"(time: invalid duration "soon")"},
      {"\"30\"", R"(time: missing unit in duration "30")"},
      {"-1s", "must not be negative"},
      {"2562048h", R"(time: invalid duration "2562048h")"},
  };
  const std::string spec = "spec: {containers: [{name: a, image: a}]}";
  for (const auto& [value, reason] : cases) {
    SCOPED_TRACE(value);
    TestCluster cluster;
    const std::string metadata =
        "metadata: {name: p, labels: {a: b}, annotations: {berth.dev/start-after: " + value + "}}";

    const auto pod = cluster.TryCreate(cluster.Get("", "pods"), metadata + "\n" + spec);
    const auto made =
        cluster.TryCreate(cluster.Get("apps", "replicasets"),
                          "metadata: {name: r}\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    " +
                              metadata + "\n    " + spec);

    ASSERT_FALSE(pod.has_value());
    EXPECT_EQ(pod.error().code, 422);
    EXPECT_NE(pod.error().message.find(reason), std::string::npos) << pod.error().message;
    ASSERT_FALSE(made.has_value());
    EXPECT_NE(made.error().message.find("spec.template.annotations[berth.dev/start-after]"), std::string::npos)
        << made.error().message;
  }
  TestCluster cluster;
  AddPod(cluster, "longest", "berth.dev/start-after: 2562047h47m16s, berth.dev/complete-after: 0s");
}

TEST(SimulatedPods, AnnotationsThatDoNotExistAreRefused) {
  TestCluster cluster;

  const auto pod = cluster.TryCreate(cluster.Get("", "pods"),
                                     "metadata: {name: p, annotations: {berth.dev/strat-after: 1s}}\n"
                                     "spec: {containers: [{name: a, image: a}]}");

  ASSERT_FALSE(pod.has_value());
  EXPECT_NE(pod.error().message.find("there is no such annotation; did you mean berth.dev/start-after?"),
            std::string::npos)
      << pod.error().message;
}

TEST(SimulatedPods, APodThatIsDeletedGoesAtOnce) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddPod(cluster, "pod");
  cluster.Run();
  cluster.Delete("", "pods", "pod");
  EXPECT_TRUE(cluster.Tree("", "pods", "pod")["metadata"].Has("deletionTimestamp"));
  cluster.Run(Milliseconds(20));
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(SimulatedPods, ADeletedPodGoesAfterTheTimeThatIsGiven) {
  TestCluster cluster(true, {}, {.lives = {.termination = Seconds(10)}});
  cluster.AddNode("node-1");
  AddPod(cluster, "pod", "berth.dev/complete-after: 3s");
  cluster.Run(Seconds(1));
  cluster.Delete("", "pods", "pod");
  cluster.Run(Seconds(9));
  EXPECT_NE(cluster.Find("", "pods", "pod"), nullptr);
  cluster.Run(Seconds(2));
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(SimulatedPods, ADeletedPodSleepsBeforeItStopsIfItsHookSaysSo) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "pods",
                 "metadata: {name: pod}\nspec: {terminationGracePeriodSeconds: 20, containers: [{name: c, image: i, "
                 "lifecycle: {preStop: {sleep: {seconds: 10}}}}]}");
  cluster.Run(Seconds(1));
  cluster.Delete("", "pods", "pod");
  cluster.Run(Seconds(9));
  EXPECT_NE(cluster.Find("", "pods", "pod"), nullptr);
  cluster.Run(Seconds(2));
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(SimulatedPods, WherePodsDoNotEndTheirAnnotationsSayNothing) {
  TestCluster cluster(true, {}, {.lives = {.end = false}});
  cluster.AddNode("node-1");
  AddPod(cluster, "pod", "berth.dev/complete-after: 3s");
  cluster.Run(Seconds(10));
  EXPECT_EQ(Phase(cluster, "pod"), "Running");
}

TEST(SimulatedPods, PodsEndExactlyInTime) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Run(Seconds(1));
  cluster.timers.Advance(Milliseconds(900));
  AddPod(cluster, "pod", "berth.dev/complete-after: 1s");
  cluster.Run(Milliseconds(800));
  EXPECT_EQ(Phase(cluster, "pod"), "Running") << "though a full second of the clock has begun";
  cluster.Run(Milliseconds(300));
  EXPECT_EQ(Phase(cluster, "pod"), "Succeeded");
}

TEST(SimulatedPods, AFinalizerHoldsAPodThatIsDeleted) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddPod(cluster, "pod");
  cluster.Change("", "pods", "pod", [](Json& pod) {
    pod.Make("metadata").Set("finalizers", Json::MakeList({Json::String("example.com/hold")}));
  });
  cluster.Run();
  cluster.Delete("", "pods", "pod");
  cluster.Run();
  const ObjectPtr held = cluster.Find("", "pods", "pod");
  ASSERT_NE(held, nullptr);
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "pods", "pod")->revision(), held->revision()) << "nothing is written again and again";
  cluster.Change("", "pods", "pod", [](Json& pod) { pod.Make("metadata").Erase("finalizers"); });
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(AddressPool, NoTwoPodsHaveTheSame) {
  AddressPool addresses(kPodNetwork);
  std::set<std::string> given;
  addresses.Keep("old", "10.0.0.7");
  for (int i = 0; i < 600; ++i) {
    const std::string pod = "a-" + std::to_string(i);
    EXPECT_TRUE(given.insert(addresses.Take("node-1", pod)).second);
    EXPECT_TRUE(given.insert(addresses.Take("node-2", "b" + pod)).second);
  }
  EXPECT_FALSE(given.contains("10.0.0.7"));
  EXPECT_EQ(addresses.Take("node-1", "a-5"), addresses.Take("node-1", "a-5"));
  const std::string free = addresses.Take("node-1", "a-5");
  addresses.Release("a-5");
  EXPECT_EQ(addresses.Take("node-1", "new"), free);
}

}  // namespace
}  // namespace berth::server
