// SPDX-License-Identifier: Apache-2.0
#include "explain/capacity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/test_cluster.h"

namespace berth::explain {
namespace {

using api::Json;
using testing::HasSubstr;

std::string Body(const std::string& pods) { return R"({"pods":[)" + pods + "]}"; }

const std::string kCluster = NodeYaml("a", ", topology.kubernetes.io/zone: west") +
                             NodeYaml("b", ", topology.kubernetes.io/zone: east", "8") +
                             PodYaml("old", "500m", ", nodeName: a");

TEST(Capacity, IsWhatIsFreeOnTheNodes) {
  TestCluster cluster(kCluster);

  const Result<Json> answer = cluster.AskCore("capacity", Body(PodJson("p", "700m")));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ((*answer)["count"].IntOr(0), 2 + 10);
  EXPECT_THAT(CapacityText(*answer), HasSubstr("1 Insufficient cpu"));
  EXPECT_THAT(CapacityText(*answer), HasSubstr("1 Too many pods"));
  EXPECT_THAT(CapacityText(*answer), HasSubstr("by zone\n      10 east\n       2 west\n"));
}

TEST(Capacity, OfPodsThatLookAtOthersIsFoundByPuttingThem) {
  const std::string apart =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"app":"p"}},"spec":{
          "containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"100m"}}}],
          "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
            {"labelSelector":{"matchLabels":{"app":"p"}},"topologyKey":"kubernetes.io/hostname"}]}}}})";
  TestCluster cluster(kCluster);

  const Result<Json> answer = cluster.Ask("capacity", Body(apart));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ((*answer)["count"].IntOr(0), 2);
  EXPECT_THAT(CapacityText(*answer), HasSubstr("2 node(s) didn't match pod anti-affinity rules"));
}

TEST(Capacity, ByNodeIsThatOfPuttingPodAfterPod) {
  for (const std::string cpu : {"100m", "300m", "1", "3", "20"}) {
    SCOPED_TRACE(cpu);
    TestCluster cluster(kCluster);
    const Result<Json> counted = cluster.AskCore("capacity", Body(PodJson("p", cpu)));
    // A mix of one and the same is put one by one.
    const Result<Json> put = cluster.AskCore("capacity", Body(PodJson("p", cpu) + "," + PodJson("p", cpu)));
    ASSERT_TRUE(counted && put);
    EXPECT_EQ((*counted)["count"].IntOr(-1) / 2, (*put)["count"].IntOr(-1));
  }
}

TEST(Capacity, EndsAtItsLimit) {
  TestCluster cluster(kCluster);
  const std::string mix = PodJson("p", "10m") + "," + PodJson("q", "10m");

  const Result<Json> answer = cluster.AskCore("capacity", R"({"limit":3,"pods":[)" + mix + "]}");

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ((*answer)["count"].IntOr(0), 3);
  EXPECT_TRUE((*answer)["limited"].AsBool());
}

TEST(Capacity, BadQuestionsAreRefused) {
  TestCluster cluster(kCluster);
  for (const std::string body : {"{}", R"({"pods":[]})", R"({"pods":[1]})", R"({"pods":[{"kind":"Node"}]})",
                                 R"({"pods":[{"kind":"Pod"}],"limit":0})"}) {
    SCOPED_TRACE(body);
    EXPECT_FALSE(cluster.AskCore("capacity", body));
  }
}

}  // namespace
}  // namespace berth::explain
