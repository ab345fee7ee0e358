// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/node_prefer_avoid_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"
#include "plugins/legacy/prefer_avoid.h"

namespace berth::plugins::legacy {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;
using testing::Pair;

NodeBuilder Avoiding(const std::string& name, const std::string& text) {
  return NodeBuilder(name).Annotation(std::string(kPreferAvoidPodsAnnotation), text);
}

TEST(NodePreferAvoidPods, OnlyTheNamedControllerIsAvoided) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("plain"));
  cluster.AddNode(Avoiding("set", R"({"preferAvoidPods":[{"podSignature":{"podController":
      {"apiVersion":"v1","kind":"ReplicaSet","name":"x","uid":"u1","controller":true}},
      "reason":"r","message":"m"}]})"));
  cluster.AddNode(Avoiding("two", R"({"preferAvoidPods":[
      {"podSignature":{"podController":{"kind":"ReplicationController","uid":"u2"}}},
      {"podSignature":{"podController":{"kind":"StatefulSet","uid":"u1"}}}]})"));
  const auto score = [&](const PodBuilder& pod) { return PluginTrial(cluster, pod).Score(NodePreferAvoidPods()); };

  EXPECT_THAT(score(PodBuilder("p").Owner("ReplicaSet", "x", "u1")),
              ElementsAre(Pair("plain", 100), Pair("set", 0), Pair("two", 100)));
  EXPECT_THAT(score(PodBuilder("p").Owner("ReplicationController", "x", "u2")),
              ElementsAre(Pair("plain", 100), Pair("set", 100), Pair("two", 0)));
  EXPECT_THAT(score(PodBuilder("p").Owner("StatefulSet", "x", "u1")),
              ElementsAre(Pair("plain", 100), Pair("set", 100), Pair("two", 100)));
  EXPECT_THAT(score(PodBuilder("p")), ElementsAre(Pair("plain", 100), Pair("set", 100), Pair("two", 100)));
}

TEST(ReadAvoidedControllers, ReadsAsGoDoes) {
  const std::pair<std::string, size_t> cases[] = {
      {R"({"preferAvoidPods":[{"podSignature":{"podController":{"kind":"K"}}}]})", 1},
      {R"({"PreferAvoidPods":[{"PODSIGNATURE":{"podcontroller":{"Kind":"K"}}}]})", 1},
      {R"({"preferAvoidPods":[{"podSignature":{}},{},null,{"podSignature":null}]})", 0},
      {R"({"preferAvoidPods":[{"podSignature":{"podController":{}},"evictionTime":"2020-01-02T03:04:05Z"}]})", 1},
      {R"({"preferAvoidPods":[{"podSignature":{"podController":{}},"evictionTime":"yesterday"}]})", 0},
      {R"({"preferAvoidPods":[{"podSignature":{"podController":{}}},{"reason":1}]})", 0},
      {R"({"preferAvoidPods":{}})", 0},
      {R"({"preferAvoidPods":null,"other":1})", 0},
      {"[]", 0},
      {"null", 0},
      {"", 0},
      {R"({"preferAvoidPods":[{"podSignature":{"podController":{}}}]} x)", 0},
  };
  for (const auto& [text, count] : cases) {
    EXPECT_EQ(ReadAvoidedControllers(text).size(), count) << text;
  }
}

}  // namespace
}  // namespace berth::plugins::legacy
