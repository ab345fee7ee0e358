// SPDX-License-Identifier: Apache-2.0
#include "scheduler/extender_protocol.h"

#include <gtest/gtest.h>

#include "cluster/pod_catalog.h"
#include "cluster/test_builders.h"

namespace berth::scheduler {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using cluster::PodPtr;

std::shared_ptr<const std::string> Source(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

PodPtr MakePod(PodBuilder builder, std::string source) {
  cluster::ResourceNames names;
  cluster::PodCatalog catalog(names, {});
  if (!source.empty()) builder.raw().source = Source(std::move(source));
  return catalog.Make(builder);
}

PodPtr Web() { return MakePod(PodBuilder("web"), R"({"metadata":{"name":"web"},"spec":{"priority":1},"status":{}})"); }

api::Node MakeNode(std::string name, std::string source) {
  api::Node node = NodeBuilder(std::move(name));
  if (!source.empty()) node.source = Source(std::move(source));
  return node;
}

TEST(ExtenderProtocol, NodesGoOutAsObjectsOrAsNames) {
  const PodPtr pod = Web();
  const api::Node a = MakeNode("a", R"({"metadata":{"name":"a"},"spec":{}})");
  const api::Node b = MakeNode("b", "");
  const std::vector<const api::Node*> nodes = {&a, &b};

  EXPECT_EQ(NodesRequest(*pod, nodes, false), R"({"Pod":{"metadata":{"name":"web"},"spec":{"priority":1},"status":{}},)"
                                              R"("Nodes":{"metadata":{},"items":[{"metadata":{"name":"a"},"spec":{}},)"
                                              R"({"metadata":{"name":"b","uid":"uid-b"}}]},"NodeNames":null})");
  EXPECT_EQ(NodesRequest(*pod, nodes, true), R"({"Pod":{"metadata":{"name":"web"},"spec":{"priority":1},"status":{}},)"
                                             R"("Nodes":null,"NodeNames":["a","b"]})");
  EXPECT_TRUE(NodesRequest(*pod, {}, false).ends_with(R"("Nodes":{"metadata":{},"items":null},"NodeNames":null})"));
  EXPECT_TRUE(NodesRequest(*pod, {}, true).ends_with(R"("Nodes":null,"NodeNames":[]})"));
}

TEST(ExtenderProtocol, VictimsGoOutAsObjectsOrAsUids) {
  const PodPtr pod = Web();
  const PodPtr bound = MakePod(PodBuilder("v1").Node("b"), R"({"spec":{"nodeSelector":{"x":"}"},"nodeName":"b"}})");
  const PodPtr assumed = MakePod(PodBuilder("v2").Node("a"),
                                 R"({"metadata":{"labels":{"nodeName":"a"}},"spec":{"containers":null,"priority":1}})");
  const PodPtr bare = MakePod(PodBuilder("v3").Node("a"), R"({"metadata":{},"spec":{"containers":null},"status":{}})");
  const PodPtr unknown = MakePod(PodBuilder("v4").Node("a"), "");
  const std::map<std::string, ExtenderVictims> candidates = {{"b", {.pods = {bound}, .num_pdb_violations = 2}},
                                                             {"a", {.pods = {assumed, bare, unknown}}}};

  EXPECT_EQ(PreemptRequest(*pod, candidates, false),
            R"({"Pod":{"metadata":{"name":"web"},"spec":{"priority":1},"status":{}},"NodeNameToVictims":{"a":{"Pods":[)"
            R"({"metadata":{"labels":{"nodeName":"a"}},"spec":{"containers":null,"nodeName":"a","priority":1}},)"
            R"({"metadata":{},"spec":{"containers":null,"nodeName":"a"},"status":{}},)"
            R"({"metadata":{"name":"v4","namespace":"default","uid":"uid-v4"}}],"NumPDBViolations":0},)"
            R"("b":{"Pods":[{"spec":{"nodeSelector":{"x":"}"},"nodeName":"b"}}],"NumPDBViolations":2}},)"
            R"("NodeNameToMetaVictims":null})");
  EXPECT_EQ(PreemptRequest(*pod, candidates, true),
            R"({"Pod":{"metadata":{"name":"web"},"spec":{"priority":1},"status":{}},"NodeNameToVictims":null,)"
            R"("NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"uid-v2"},{"UID":"uid-v3"},{"UID":"uid-v4"}],)"
            R"("NumPDBViolations":0},"b":{"Pods":[{"UID":"uid-v1"}],"NumPDBViolations":2}}})");
}

TEST(ExtenderProtocol, BindingsNameThePodAndTheNode) {
  EXPECT_EQ(BindRequest(*Web(), "n1"), R"({"PodName":"web","PodNamespace":"default","PodUID":"uid-web","Node":"n1"})");
}

TEST(ExtenderProtocol, FilterAnswersAreReadWhateverTheCaseOfTheirNames) {
  const auto answer = DecodeFilterAnswer(
      R"( {"nodenames":["b","a","b"],"FAILEDNODES":{"c":"full","d":null},"Surprise":[1],
           "FailedAndUnresolvableNodes":{"e":"gone"},"error":null,"Nodes":null} trailing {)");

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_FALSE(answer->nodes);
  EXPECT_EQ(answer->node_names, (std::vector<std::string>{"b", "a", "b"}));
  EXPECT_EQ(answer->failed, (std::map<std::string, std::string>{{"c", "full"}, {"d", ""}}));
  EXPECT_EQ(answer->failed_and_unresolvable, (std::map<std::string, std::string>{{"e", "gone"}}));
  EXPECT_EQ(answer->error, "");
}

TEST(ExtenderProtocol, NodesOfAFilterAnswerKeepTheirOrderAndSource) {
  const auto answer = DecodeFilterAnswer(
      R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"b"},"status":{"allocatable":{"cpu":"2"}}},null,)"
      R"({"metadata":{"name":"b"}}]}})");

  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(answer->nodes->size(), 3U);
  EXPECT_EQ((*answer->nodes)[0].meta.name, "b");
  // As Go writes it.
  EXPECT_TRUE((*answer->nodes)[0].source->starts_with(
      R"({"metadata":{"name":"b"},"spec":{},"status":{"allocatable":{"cpu":"2"},"daemonEndpoints":)"));
  EXPECT_EQ((*answer->nodes)[1].meta.name, "");
  EXPECT_EQ((*answer->nodes)[2].meta.name, "b");
  EXPECT_FALSE(answer->node_names);
}

TEST(ExtenderProtocol, OfMembersThatOccurTwiceTheLaterIsReadOverTheEarlier) {
  const auto merged = DecodeFilterAnswer(
      R"({"FailedNodes":{"a":"1","b":"2"},"failedNodes":{"b":"3"},"NodeNames":["a","b","c"],"nodeNames":["x",null],"Error":"e",)"
      R"("error":null})");
  const auto reset =
      DecodeFilterAnswer(R"({"FailedNodes":{"a":"1"},"failedNodes":null,"NodeNames":["a"],"nodeNames":null})");
  const auto victims = DecodePreemptAnswer(
      R"({"NodeNameToMetaVictims":{"n":{"Pods":[{"UID":"a"},{"UID":"b"}],"pods":[{}]}},"nodenametometavictims":{"m":{}}})");

  ASSERT_TRUE(merged && reset && victims);
  EXPECT_EQ(merged->failed, (std::map<std::string, std::string>{{"a", "1"}, {"b", "3"}}));
  EXPECT_EQ(merged->node_names, (std::vector<std::string>{"x", "b"}));
  EXPECT_EQ(merged->error, "e");
  EXPECT_TRUE(reset->failed.empty());
  EXPECT_FALSE(reset->node_names);
  EXPECT_EQ(victims->at("n").uids, std::vector<std::string>{"a"});
  EXPECT_TRUE(victims->at("m").uids.empty());
}

TEST(ExtenderProtocol, NullIsAnEmptyAnswer) {
  const auto filter = DecodeFilterAnswer("null");
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->nodes || filter->node_names);
  EXPECT_TRUE(DecodePrioritizeAnswer("null").value().empty());
  EXPECT_TRUE(DecodePreemptAnswer(R"({"NodeNameToMetaVictims":null})").value().empty());
  EXPECT_EQ(DecodeBindAnswer("null").value(), "");
}

TEST(ExtenderProtocol, ScoresAreWholeNumbersOf64Bits) {
  const auto scores =
      DecodePrioritizeAnswer(R"([{"Host":"a","Score":9223372036854775807},{"score":-5,"why":{}},null])");

  ASSERT_TRUE(scores) << scores.error().message;
  ASSERT_EQ(scores->size(), 3U);
  EXPECT_EQ((*scores)[0].host, "a");
  EXPECT_EQ((*scores)[0].score, INT64_MAX);
  EXPECT_EQ((*scores)[1].host, "");
  EXPECT_EQ((*scores)[1].score, -5);
  for (const char* number : {"1.5", "1e1", "9223372036854775808"}) {
    const auto answer = DecodePrioritizeAnswer(std::string(R"([{"Host":"a","Score":)") + number + "}]");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().message, std::string("json: cannot unmarshal number ") + number +
                                          " into Go struct field HostPriority.Score of type int64");
  }
}

TEST(ExtenderProtocol, WhatCrashesUpstreamIsAnError) {
  const auto node = DecodePreemptAnswer(R"({"NodeNameToMetaVictims":{"n0":null}})");
  const auto pod = DecodePreemptAnswer(R"({"NodeNameToMetaVictims":{"n0":{"Pods":[{"UID":"a"},null]}}})");

  ASSERT_FALSE(node || pod);
  EXPECT_EQ(node.error().message, R"(the extender's answer has null victims for node "n0")");
  EXPECT_EQ(pod.error().message, R"(the extender's answer has a null pod for node "n0")");
}

TEST(ExtenderProtocol, ErrorsReadLikeGos) {
  struct Case {
    const char* body;
    const char* message;
  };
  const Case filter[] = {
      {"", "EOF"},
      {" \n", "EOF"},
      {R"({"Nodes":)", "unexpected EOF"},
      {R"({"Error":"\")", "unexpected EOF"},
      {"<html>", "invalid character '<' looking for beginning of value"},
      {"[]", "json: cannot unmarshal array into Go value of type v1.ExtenderFilterResult"},
      {"true", "json: cannot unmarshal bool into Go value of type v1.ExtenderFilterResult"},
      {R"({"NodeNames":"n0","Nodes":[]})",
       "json: cannot unmarshal string into Go struct field ExtenderFilterResult.NodeNames of type []string"},
      {R"({"nodenames":[1]})",
       "json: cannot unmarshal number into Go struct field ExtenderFilterResult.NodeNames of type string"},
      {R"({"FailedNodes":[]})",
       "json: cannot unmarshal array into Go struct field ExtenderFilterResult.FailedNodes of type v1.FailedNodesMap"},
      {R"({"Nodes":{"items":[5]}})",
       "json: cannot unmarshal number into Go struct field NodeList.Nodes.items of type v1.Node"},
      {R"({"Error":{}})",
       "json: cannot unmarshal object into Go struct field ExtenderFilterResult.Error of type string"},
  };
  for (const Case& c : filter) {
    SCOPED_TRACE(c.body);
    const auto answer = DecodeFilterAnswer(c.body);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().message, c.message);
  }
  const Case preempt[] = {
      {R"({"NodeNameToMetaVictims":[]})",
       "json: cannot unmarshal array into Go struct field ExtenderPreemptionResult.NodeNameToMetaVictims of type "
       "map[string]*v1.MetaVictims"},
      {R"({"NodeNameToMetaVictims":{"n":{"Pods":[{"UID":5}]}}})",
       "json: cannot unmarshal number into Go struct field MetaPod.NodeNameToMetaVictims.Pods.UID of type string"},
  };
  for (const Case& c : preempt) {
    SCOPED_TRACE(c.body);
    const auto answer = DecodePreemptAnswer(c.body);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().message, c.message);
  }
  EXPECT_FALSE(DecodeBindAnswer("nul"));
  EXPECT_FALSE(DecodeBindAnswer(R"({"Error":"a"])"));
  EXPECT_FALSE(DecodeFilterAnswer(R"({"Nodes":{"items":[{"status":{"allocatable":{"cpu":"much"}}}]}})"));
}

TEST(ExtenderProtocol, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(DecodeBindAnswer("{\"Error\":\"a\xff\"}").value(), "a\uFFFD");
}

}  // namespace
}  // namespace berth::scheduler
