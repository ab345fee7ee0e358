// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/pod_turn.h"

#include <gtest/gtest.h>

#include "server/model/find_condition.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

// `more`: further members of the spec, each after a comma.
void AddTimedPod(TestCluster& cluster, std::string_view notes, std::string_view more = "") {
  cluster.Create("", "pods",
                 "metadata: {name: pod, annotations: {" + std::string(notes) + "}}\nspec: {containers: [{name: a, " +
                     "image: a}]" + std::string(more) + "}");
}

Json StatusOf(const TestCluster& cluster) { return cluster.Tree("", "pods", "pod")["status"]; }
Json First(const TestCluster& cluster, const char* list = "containerStatuses") {
  return StatusOf(cluster)[list][size_t{0}];
}
Json ConditionOf(const TestCluster& cluster, std::string_view type) {
  return FindCondition(StatusOf(cluster)["conditions"], type);
}

TEST(PodTurn, ContainersThatExitStartAgainAfterADelayThatDoubles) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTimedPod(cluster, "berth.dev/exit-after: 1s, berth.dev/exit-code: \"3\"");
  cluster.Run(Milliseconds(900));
  EXPECT_EQ(First(cluster)["restartCount"].IntOr(-1), 0);

  // The first time at once.
  cluster.Run(Milliseconds(300));
  EXPECT_EQ(First(cluster)["restartCount"].IntOr(-1), 1);
  EXPECT_TRUE(First(cluster)["state"].Has("running"));
  EXPECT_EQ(First(cluster)["lastState"]["terminated"]["exitCode"].IntOr(0), 3);
  EXPECT_EQ(First(cluster)["lastState"]["terminated"]["reason"].text(), "Error");

  cluster.Run(Milliseconds(1200));
  const Json waiting = First(cluster)["state"]["waiting"];
  EXPECT_EQ(waiting["reason"].text(), "CrashLoopBackOff");
  EXPECT_EQ(waiting["message"].text(), "back-off 10s restarting failed container=a pod=pod_default(" +
                                           cluster.Tree("", "pods", "pod")["metadata"]["uid"].text() + ")");
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Running");
  EXPECT_EQ(ConditionOf(cluster, "Ready")["message"].text(), "containers with unready status: [a]");

  cluster.Run(Seconds(9));
  EXPECT_EQ(First(cluster)["restartCount"].IntOr(-1), 1);
  cluster.Run(Seconds(2));
  EXPECT_EQ(First(cluster)["restartCount"].IntOr(-1), 2);
  cluster.Run(Seconds(18));
  EXPECT_EQ(First(cluster)["restartCount"].IntOr(-1), 2);
  cluster.Run(Seconds(4));
  EXPECT_EQ(First(cluster)["restartCount"].IntOr(-1), 3);
}

TEST(PodTurn, ContainersWaitForImagesThatAreMissing) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "pods", "metadata: {name: pod}\nspec: {containers: [{name: a, image: \"web:404\"}]}");
  cluster.Run(Minutes(1));

  const Json waiting = First(cluster)["state"]["waiting"];
  EXPECT_EQ(waiting["reason"].text(), "ImagePullBackOff");
  EXPECT_EQ(waiting["message"].text(), "Back-off pulling image \"web:404\": ErrImagePull: not found");
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Pending");
  EXPECT_EQ(ConditionOf(cluster, "Ready")["status"].text(), "False");

  cluster.Change("", "pods", "pod",
                 [](Json& pod) { pod.Make({"spec", "containers"}).mutable_items()[0].Set("image", "web:200"); });
  cluster.Run(Seconds(1));
  EXPECT_TRUE(First(cluster)["state"].Has("running"));
  EXPECT_EQ(First(cluster)["restartCount"].IntOr(-1), 0);
}

TEST(PodTurn, APodEndsWhenNoContainerMayStartAgain) {
  const struct {
    const char* policy;
    const char* code;
    const char* phase;
  } cases[] = {{"Never", "0", "Succeeded"},
               {"Never", "1", "Failed"},
               {"OnFailure", "0", "Succeeded"},
               {"OnFailure", "1", "Running"},
               {"Always", "0", "Running"}};
  for (const auto& [policy, code, phase] : cases) {
    SCOPED_TRACE(std::string(policy) + " " + code);
    TestCluster cluster;
    cluster.AddNode("node-1");
    AddTimedPod(cluster, "berth.dev/exit-after: 1s, berth.dev/exit-code: \"" + std::string(code) + "\"",
                ", restartPolicy: " + std::string(policy));

    cluster.Run(Seconds(2));

    EXPECT_EQ(StatusOf(cluster)["phase"].text(), phase);
  }
}

TEST(PodTurn, APodOfWhoseContainersNothingIsKnownEndsToo) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTimedPod(cluster, "berth.dev/complete-after: 1h");
  cluster.Run(Seconds(1));
  Json pod = cluster.Tree("", "pods", "pod");
  pod.Make({"metadata", "annotations"}).Set("berth.dev/complete-after", "1s");
  pod.Make("status").Erase("containerStatuses");
  EXPECT_TRUE(cluster.objects.Restore(cluster.Get("", "pods"), std::move(pod)));

  cluster.Run(Seconds(3));

  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Succeeded");
}

TEST(PodTurn, InitContainersRunOneAfterAnotherAndSidecarsBesideThem) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTimedPod(
      cluster, "berth.dev/init-for: 2s",
      ", restartPolicy: Never, initContainers: [{name: i, image: i}, {name: s, image: s, restartPolicy: Always}, "
      "{name: j, image: j}]");
  const auto init = [&](size_t i) { return StatusOf(cluster)["initContainerStatuses"][i]["state"]; };
  cluster.Run(Seconds(1));
  EXPECT_TRUE(init(0).Has("running"));
  EXPECT_EQ(init(1)["waiting"]["reason"].text(), "PodInitializing");
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Pending");
  EXPECT_EQ(ConditionOf(cluster, "Initialized")["reason"].text(), "ContainersNotInitialized");
  EXPECT_EQ(ConditionOf(cluster, "Initialized")["message"].text(), "containers with incomplete status: [i s j]");
  EXPECT_EQ(First(cluster)["state"]["waiting"]["reason"].text(), "PodInitializing");

  cluster.Run(Seconds(2));
  EXPECT_EQ(init(0)["terminated"]["reason"].text(), "Completed");
  EXPECT_TRUE(init(1).Has("running"));
  EXPECT_TRUE(init(2).Has("running"));
  EXPECT_EQ(ConditionOf(cluster, "Initialized")["message"].text(), "containers with incomplete status: [j]");

  cluster.Run(Seconds(2));
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Running");
  EXPECT_EQ(ConditionOf(cluster, "Ready")["status"].text(), "True");
}

void AddCommandPod(TestCluster& cluster, std::string_view command, std::string_view policy,
                   std::string_view notes = "") {
  cluster.Create("", "pods",
                 "metadata: {name: pod, annotations: {" + std::string(notes) +
                     "}}\nspec: {restartPolicy: " + std::string(policy) +
                     ", containers: [{name: a, image: a, command: " + std::string(command) + "}]}");
}

TEST(PodTurn, ContainersExitAsTheirCommandsSay) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddCommandPod(cluster, "[sh, -c, sleep 3; exit 7]", "Never");
  cluster.Run(Milliseconds(2900));
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Running");
  cluster.Run(Milliseconds(300));
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Failed");
  EXPECT_EQ(First(cluster)["state"]["terminated"]["exitCode"].IntOr(0), 7);
}

TEST(PodTurn, ACommandThatIsDoneAtOnceIsSeenRunningAndStartsAgain) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddCommandPod(cluster, "[/bin/false]", "Always");
  cluster.Run(Milliseconds(900));
  EXPECT_TRUE(First(cluster)["state"].Has("running"));
  cluster.Run(Milliseconds(1300));
  EXPECT_EQ(First(cluster)["restartCount"].IntOr(-1), 1);
  EXPECT_EQ(First(cluster)["state"]["waiting"]["reason"].text(), "CrashLoopBackOff");
}

TEST(PodTurn, AnnotationsSayMoreThanCommands) {
  const std::pair<std::string_view, std::string_view> cases[] = {{"", "Failed"},
                                                                 {"berth.dev/complete-after: 2s", "Succeeded"},
                                                                 {"berth.dev/exit-after: 2s", "Succeeded"},
                                                                 {"berth.dev/exit-after: 1h", "Running"}};
  for (const auto& [notes, phase] : cases) {
    SCOPED_TRACE(notes);
    TestCluster cluster;
    cluster.AddNode("node-1");
    AddCommandPod(cluster, "['false']", "Never", notes);
    cluster.Run(Seconds(4));
    EXPECT_EQ(StatusOf(cluster)["phase"].text(), phase);
  }
}

TEST(PodTurn, TheContainersOfAJobRunAsLongAsTheirCommandsSay) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"{name: a, image: a}", "Succeeded"},
      {"{name: a, image: a, command: [sleep, '60']}, {name: b, image: b}", "Running"},
      {"{name: a, image: a, command: ['false']}, {name: b, image: b}", "Failed"},
      {"{name: a, image: registry.k8s.io/pause:3.10}", "Running"}};
  for (const auto& [containers, phase] : cases) {
    SCOPED_TRACE(containers);
    TestCluster cluster;
    cluster.AddNode("node-1");
    cluster.Create(
        "batch", "jobs",
        "metadata: {name: job}\nspec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, containers: [" +
            std::string(containers) + "]}}}");
    cluster.Run(Seconds(3));
    EXPECT_EQ(cluster.CountPods(phase), 1U);
  }
}

void AddInitPod(TestCluster& cluster, std::string_view command, std::string_view policy, std::string_view notes = "") {
  AddTimedPod(cluster, notes,
              ", restartPolicy: " + std::string(policy) +
                  ", initContainers: [{name: i, image: i, command: " + std::string(command) + "}]");
}

TEST(PodTurn, AnInitContainerThatFailsStartsAgain) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddInitPod(cluster, "['false']", "OnFailure");
  cluster.Run(Milliseconds(2500));
  const Json init = First(cluster, "initContainerStatuses");
  EXPECT_EQ(init["restartCount"].IntOr(-1), 1);
  EXPECT_EQ(init["state"]["waiting"]["reason"].text(), "CrashLoopBackOff");
  EXPECT_EQ(init["lastState"]["terminated"]["exitCode"].IntOr(0), 1);
  EXPECT_EQ(First(cluster)["state"]["waiting"]["reason"].text(), "PodInitializing");
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Pending");
  EXPECT_EQ(ConditionOf(cluster, "Initialized")["message"].text(), "containers with incomplete status: [i]");
  cluster.Run(Seconds(11));
  EXPECT_EQ(First(cluster, "initContainerStatuses")["restartCount"].IntOr(-1), 2);
}

TEST(PodTurn, AnInitContainerThatFailsForGoodFailsThePod) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddInitPod(cluster, "[sh, -c, exit 3]", "Never");
  cluster.Run(Seconds(3));
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Failed");
  EXPECT_EQ(First(cluster, "initContainerStatuses")["state"]["terminated"]["exitCode"].IntOr(0), 3);
  EXPECT_EQ(First(cluster)["state"]["waiting"]["reason"].text(), "PodInitializing");
}

TEST(PodTurn, AnInitContainerTakesTheTimeOfItsCommand) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddInitPod(cluster, "[sleep, '5']", "Always");
  cluster.Run(Seconds(4));
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Pending");
  cluster.Run(Seconds(2));
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Running");
}

TEST(PodTurn, AnInitContainerThatSleepsForEverHoldsThePodUnlessAnAnnotationSaysOtherwise) {
  for (const std::string_view notes : {"", "berth.dev/init-for: 1s"}) {
    TestCluster cluster;
    cluster.AddNode("node-1");
    AddInitPod(cluster, "[sleep, infinity]", "Always", notes);
    cluster.Run(Seconds(5));
    EXPECT_EQ(StatusOf(cluster)["phase"].text(), notes.empty() ? "Pending" : "Running");
  }
}

TEST(PodTurn, AContainerIsReadyWhenItsAnnotationSays) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTimedPod(cluster, "berth.dev/ready-after: 3s");
  cluster.Run(Seconds(2));
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Running");
  EXPECT_EQ(ConditionOf(cluster, "ContainersReady")["reason"].text(), "ContainersNotReady");
  cluster.Run(Seconds(2));
  EXPECT_EQ(ConditionOf(cluster, "Ready")["status"].text(), "True");
}

TEST(PodTurn, APodThatStartsLateSaysThatItsContainersAreCreated) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTimedPod(cluster, "berth.dev/start-after: 10s");
  cluster.Run(Seconds(1));
  EXPECT_EQ(First(cluster)["state"]["waiting"]["reason"].text(), "ContainerCreating");
  EXPECT_EQ(ConditionOf(cluster, "PodReadyToStartContainers")["message"].text(), "no pod sandbox exists");
  EXPECT_FALSE(StatusOf(cluster)["startTime"].text().empty());
}

TEST(PodTurn, APodThatIsThereForTooLongFails) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTimedPod(cluster, "", ", activeDeadlineSeconds: 100");
  cluster.Run(Seconds(5));
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Running");

  cluster.Change("", "pods", "pod", [](Json& pod) { pod.Make("spec").Set("activeDeadlineSeconds", Json::Int(10)); });
  cluster.Run(Seconds(3));
  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Running");
  cluster.Run(Seconds(6));

  EXPECT_EQ(StatusOf(cluster)["phase"].text(), "Failed");
  EXPECT_EQ(StatusOf(cluster)["reason"].text(), "DeadlineExceeded");
  EXPECT_EQ(StatusOf(cluster)["message"].text(), "Pod was active on the node longer than the specified deadline");
  EXPECT_EQ(First(cluster)["state"]["terminated"]["exitCode"].IntOr(0), 137);
  EXPECT_EQ(ConditionOf(cluster, "Ready")["reason"].text(), "PodFailed");
}

TEST(PodTurn, WhatWasSeenOfAPodIsTold) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTimedPod(cluster, "");
  cluster.Run(Seconds(1));
  EXPECT_EQ(StatusOf(cluster)["observedGeneration"].IntOr(0), 1);

  cluster.Change("", "pods", "pod",
                 [](Json& pod) { pod.Make({"spec", "containers"}).mutable_items()[0].Set("image", "b"); });
  cluster.Run(Seconds(1));

  EXPECT_EQ(StatusOf(cluster)["observedGeneration"].IntOr(0), 2);
  for (const std::string_view type :
       {"PodScheduled", "PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"}) {
    EXPECT_EQ(ConditionOf(cluster, type)["observedGeneration"].IntOr(0), 2) << type;
  }
  EXPECT_EQ(First(cluster)["image"].text(), "b");
  EXPECT_EQ(First(cluster)["restartCount"].IntOr(0), 1) << "another image is another container";
}

TEST(PodTurn, EphemeralContainersRun) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTimedPod(cluster, "");
  cluster.Run(Seconds(1));

  cluster.Change(
      "", "pods", "pod",
      [](Json& pod) {
        pod.Make("spec").Set("ephemeralContainers",
                             Json::MakeList({Json{{"name", Json::String("debugger")}, {"image", Json::String("d")}}}));
      },
      "ephemeralcontainers");
  cluster.Run(Seconds(1));

  EXPECT_TRUE(First(cluster, "ephemeralContainerStatuses")["state"].Has("running"));
  EXPECT_EQ(First(cluster)["restartCount"].IntOr(-1), 0);
  EXPECT_EQ(ConditionOf(cluster, "Ready")["status"].text(), "True");
}

TEST(PodTurn, ADeletedPodEndsWithinItsGracePeriod) {
  const struct {
    const char* takes;
    int64_t after;  // Seconds after which it is gone.
  } cases[] = {{"4s", 4}, {"1h", 6}};
  for (const auto& [takes, after] : cases) {
    SCOPED_TRACE(takes);
    TestCluster cluster;
    cluster.AddNode("node-1");
    AddTimedPod(cluster, "berth.dev/terminate-after: " + std::string(takes), ", terminationGracePeriodSeconds: 6");
    cluster.Run(Seconds(1));

    cluster.Delete("", "pods", "pod");
    cluster.Run(Seconds(after) - Milliseconds(500));

    EXPECT_TRUE(First(cluster)["state"].Has("running"));
    EXPECT_EQ(StatusOf(cluster)["observedGeneration"].IntOr(0), 2);
    cluster.Run(Seconds(1));
    EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
  }
}

}  // namespace
}  // namespace berth::server
