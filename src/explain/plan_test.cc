// SPDX-License-Identifier: Apache-2.0
#include "explain/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/test_cluster.h"

namespace berth::explain {
namespace {

using api::Json;
using testing::HasSubstr;

constexpr std::string_view kDeployment =
    R"({"objects":[{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3,
        "selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
        "spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1500m"}}}]}}}}]})";

std::string OutcomesOf(const Json& answer) {
  std::string text;
  for (const Json& pod : answer["pods"].items()) {
    text += pod["outcome"].text() + (pod["node"].is_null() ? "" : " " + pod["node"].text()) + "\n";
  }
  return text;
}

TEST(Plan, ControllersMakeThePodsThatAreThenPlaced) {
  TestCluster cluster(NodeYaml("a") + NodeYaml("b"));

  const Result<Json> answer = cluster.Ask("plan", std::string(kDeployment));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ((*answer)["unplaced"].IntOr(-1), 1);
  EXPECT_EQ((*answer)["pods"].size(), 3U);
  EXPECT_EQ((*answer)["pods"][size_t{0}]["owner"].text(), "Deployment default/web");
  EXPECT_THAT(PlanText(*answer), HasSubstr("Deployment default/web: 2 of 3 placed\n  on a, b\n"));
  EXPECT_THAT(PlanText(*answer), HasSubstr("0/2 nodes are available: 2 Insufficient cpu."));
  EXPECT_THAT(PlanText(*answer), HasSubstr("cpu 0% -> 75%"));
}

TEST(Plan, IsTheSameWhereOnlyTheCoreIsKnown) {
  TestCluster cluster(NodeYaml("a") + NodeYaml("b"));

  const Result<Json> answer = cluster.AskCore("plan", std::string(kDeployment));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ((*answer)["unplaced"].IntOr(-1), 1);
  EXPECT_THAT(PlanText(*answer), HasSubstr("Deployment default/web: 2 of 3 placed\n  on a, b\n"));
  EXPECT_FALSE((*answer)["notKnown"].empty());
}

TEST(Plan, AnotherConfigurationIsTried) {
  const std::string body = R"({"changes":[{"configure":{"text":"apiVersion: kubescheduler.config.k8s.io/v1\nkind: Kube)"
                           R"(SchedulerConfiguration\nprofiles: [{plugins: {filter: {disabled: [{name: %}]}}}]"}}]})";
  const auto without = [&](std::string_view plugin) { return std::string(body).replace(body.find('%'), 1, plugin); };
  const std::string yaml = NodeYaml("a") + PodYaml("p", "100m", ", nodeSelector: {disk: ssd}");

  const Result<Json> same = TestCluster(yaml).AskCore("what-if", without("NodeName"));
  const Result<Json> other = TestCluster(yaml).AskCore("what-if", without("NodeAffinity"));
  const Result<Json> other_world = TestCluster(yaml).Ask("what-if", without("NodeAffinity"));

  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ((*same)["stillPending"].IntOr(-1), 1);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(OutcomesOf(*other), "placed a\n");
  ASSERT_TRUE(other_world) << other_world.error().message;
  EXPECT_EQ(OutcomesOf(*other_world), "placed a\n");
}

TEST(Plan, AConfigurationThatIsNoneIsRefused) {
  TestCluster cluster(NodeYaml("a"));

  const Result<Json> answer = cluster.AskCore("what-if", R"({"changes":[{"configure":{"text":"kind: Pod"}}]})");

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kInvalid);
  EXPECT_THAT(answer.error().message, testing::StartsWith("changes[0]: configure: "));
}

TEST(Plan, APodIsHelpedByWhatWasFoundForIt) {
  const std::string picky = ", nodeSelector: {disk: ssd}";
  const std::string body =
      R"({"changes":[{"help":{"namespace":"default","name":"p","text":"drop the node selector disk=ssd","alike":%}}]})";
  const auto asked = [&](std::string_view alike) { return std::string(body).replace(body.find('%'), 1, alike); };
  TestCluster cluster(NodeYaml("a") + PodYaml("p", "100m", picky) + PodYaml("q", "100m", picky) +
                      PodYaml("r", "200m", picky));
  EXPECT_EQ(cluster.AskCore("what-if", R"({"changes":[{"help":{"namespace":"default","name":"p","text":"x"}}]})")
                .error()
                .message,
            "changes[0]: this would not help pod default/p now: x");
  EXPECT_EQ(cluster.Ask("what-if", asked("false")).error().code, Code::kInvalid);

  const std::unique_ptr<scheduler::Core> untouched = cluster.core->Copy();
  const Result<Json> one = cluster.AskCore("what-if", asked("false"));

  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(OutcomesOf(*one), "placed a\n");
  EXPECT_TRUE((*one)["pods"][size_t{0}]["wasPending"].AsBool());
  EXPECT_EQ((*one)["stillPending"].IntOr(-1), 2);

  Result<std::string> both =
      Answer("what-if", {*untouched, cluster.gates, cluster.surroundings->now()}, asked("true"), cluster.pacer);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(OutcomesOf(*api::ParseTree(*both)), "placed a\nplaced a\n");
}

TEST(Plan, TellsWhichNodesAreOtherThanBefore) {
  TestCluster cluster(NodeYaml("a") + NodeYaml("b") + NodeYaml("c"));

  const Result<Json> answer = cluster.AskCore(
      "what-if", R"({"nodes":true,"changes":[{"removeNodes":{"names":["a"]}},{"cordon":{"names":["b"]}}],"objects":[)" +
                     PodJson("p", "1") + "]}");

  ASSERT_TRUE(answer) << answer.error().message;
  const Json& nodes = (*answer)["nodes"];
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_TRUE(nodes[size_t{0}]["gone"].AsBool());
  EXPECT_EQ(nodes[1]["name"].text(), "b");
  EXPECT_TRUE(nodes[1]["cordoned"].AsBool());
  EXPECT_EQ(nodes[2]["used"]["cpu"].IntOr(0), 1000);
  EXPECT_FALSE(cluster.AskCore("plan", R"({"objects":[]})")->Has("nodes"));
}

TEST(Plan, TellsWhoIsEvicted) {
  const std::string yaml = NodeYaml("a") + PodYaml("old", "2", ", nodeName: a");
  const std::string body =
      R"({"objects":[{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},"value":10},)" +
      PodJson("new", "2", R"(,"priorityClassName":"high")") + "]}";

  for (const bool knows_all : {true, false}) {
    SCOPED_TRACE(knows_all);
    TestCluster cluster(yaml);
    const Result<Json> answer = knows_all ? cluster.Ask("plan", body) : cluster.AskCore("plan", body);

    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(OutcomesOf(*answer), "placed a\n");
    ASSERT_EQ((*answer)["evictions"].size(), 1U);
    EXPECT_EQ((*answer)["evictions"][size_t{0}]["pod"].text(), "default/old");
    EXPECT_EQ((*answer)["evictions"][size_t{0}]["preemptor"].text(), "default/new");
  }
}

TEST(Plan, WhatIfNodesAreAddedPodsThatWaitedArePlaced) {
  const std::string yaml = NodeYaml("a") + PodYaml("old", "2", ", nodeName: a") + PodYaml("waits", "2");
  for (const bool knows_all : {true, false}) {
    SCOPED_TRACE(knows_all);
    TestCluster cluster(yaml);
    const std::string body = R"({"changes":[{"addNodes":{"count":2,"like":"a"}}]})";
    const Result<Json> answer = knows_all ? cluster.Ask("what-if", body) : cluster.AskCore("what-if", body);

    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(OutcomesOf(*answer), "placed added-1\n");
    EXPECT_TRUE((*answer)["pods"][size_t{0}]["wasPending"].AsBool());
  }
}

TEST(Plan, ChangesOfNodesCount) {
  const std::string yaml = NodeYaml("a", ", zone: west") + NodeYaml("b", ", zone: east");
  const std::string objects = R"(,"objects":[)" + PodJson("p", "1") + "]}";
  const std::string selected = R"(,"objects":[)" + PodJson("p", "1", R"(,"nodeSelector":{"disk":"ssd"})") + "]}";
  struct Case {
    std::string body, where;
  };
  const std::vector<Case> cases = {
      {R"({"changes":[{"cordon":{"selector":"zone=west"}}])" + objects, "placed b\n"},
      {R"({"changes":[{"cordon":{"selector":"zone=west"}},{"uncordon":{"names":["a"]}}])" + objects, "placed a\n"},
      {R"({"changes":[{"removeNodes":{"names":["a"]}}])" + objects, "placed b\n"},
      {R"({"changes":[{"taint":{"names":["a"],"taints":[{"key":"k","effect":"NoSchedule"}]}}])" + objects,
       "placed b\n"},
      {R"({"changes":[{"label":{"names":["b"],"labels":{"disk":"ssd"}}}])" + selected, "placed b\n"},
      {R"({"changes":[{"patch":{"kind":"Node","name":"b","patch":{"metadata":{"labels":{"disk":"ssd"}}}}}])" + selected,
       "placed b\n"},
      {R"({"changes":[{"delete":{"kind":"Node","name":"a"}}])" + objects, "placed b\n"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.body);
    TestCluster cluster(yaml);
    const Result<Json> answer = cluster.AskCore("what-if", each.body);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(OutcomesOf(*answer), each.where);
  }
}

TEST(Plan, PodsOfNodesThatGoComeAgain) {
  const std::string owner =
      ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u, controller: true}]";
  TestCluster cluster(NodeYaml("a") + NodeYaml("b") + PodYaml("p", "1", ", nodeName: a", owner));

  const Result<Json> answer = cluster.AskCore("what-if", R"({"changes":[{"removeNodes":{"names":["a"]}}]})");

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(OutcomesOf(*answer), "placed b\n");
}

TEST(Plan, BadQuestionsAreRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", "question: must be an object"},
      {R"({"object":[]})", "unknown field \"object\""},
      {R"({"changes":[{"addNodes":{"count":10001,"like":"a"}}]})",
       "changes[0].addNodes.count: must be a number from 1"},
      {R"({"changes":[{"addNodes":{"count":1,"like":"z"}}]})", "changes[0]: there is no node z"},
      {R"({"changes":[{"cordon":{"selector":"zone=z"}}]})", "changes[0]: no node matches zone=z"},
      {R"({"changes":[{"fly":{}}]})", "unknown change \"fly\""},
      {R"({"objects":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containrs":[]}}]})",
       "containrs"},
      {R"({"objects":[{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":2000000,
         "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
         "spec":{"containers":[{"name":"c","image":"i"}]}}}}]})",
       "too many pods"},
  };
  for (const auto& [body, error] : cases) {
    SCOPED_TRACE(body);
    TestCluster cluster(NodeYaml("a"));
    const Result<Json> answer = cluster.AskCore("what-if", body);
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, HasSubstr(error));
  }
}

TEST(Plan, EndsWhenItsPacerSaysSo) {
  class Impatient : public Pacer {
    Result<void> Pause() override { return Fail(Code::kDeadline, "time is up"); }
  } impatient;
  TestCluster cluster(NodeYaml("a"));

  const auto answer =
      Answer("plan", {*cluster.core, cluster.gates, cluster.surroundings->now()}, kDeployment, impatient);

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kDeadline);
}

}  // namespace
}  // namespace berth::explain
