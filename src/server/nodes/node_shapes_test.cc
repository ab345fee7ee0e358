// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/node_shapes.h"

#include <gtest/gtest.h>

#include <utility>

namespace berth::server {
namespace {

TEST(NodeShapes, MakeNodesOfEachShape) {
  const auto shapes = ParseShapes(R"(
nodes:
- name: worker
  count: 3
  zones: [a, b]
  resources: {cpu: 16, memory: 64Gi}
- name: gpu
  resources: {cpu: 32, memory: 256Gi, nvidia.com/gpu: 8, pods: 20}
  labels: {tier: gpu}
  taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
)");
  ASSERT_TRUE(shapes) << shapes.error().message;
  const std::vector<Json> nodes = MakeNodes(*shapes, Time{});
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[2]["metadata"]["name"].text(), "worker-3");
  EXPECT_EQ(nodes[2]["metadata"]["labels"]["topology.kubernetes.io/zone"].text(), "a");
  EXPECT_EQ(nodes[2]["status"]["allocatable"]["cpu"].text(), "16");
  EXPECT_EQ(nodes[2]["status"]["allocatable"]["pods"].text(), "110");
  EXPECT_EQ(nodes[3]["metadata"]["name"].text(), "gpu-1");
  EXPECT_EQ(nodes[3]["status"]["capacity"]["nvidia.com/gpu"].text(), "8");
  EXPECT_EQ(nodes[3]["spec"]["taints"][size_t{0}]["key"].text(), "nvidia.com/gpu");
  EXPECT_EQ(nodes[3]["metadata"]["labels"]["kubernetes.io/hostname"].text(), "gpu-1");
}

TEST(NodeShapes, SayWhatIsWrongAndWhere) {
  for (const auto& [text, problem] : {
           std::pair("{}", "expected a list `nodes`"),
           std::pair("nodes: 3", "expected a list `nodes`"),
           std::pair("nodes: [3]", "nodes[0]: expected a map"),
           std::pair("nodes: [{}, {nmae: a}]",
                     "nodes[1]: unknown member \"nmae\"; known are count, labels, name, resources, taints, zones"),
           std::pair("nodes: [{name: ''}]", "nodes[0].name: expected a name"),
           std::pair("nodes: [{count: -1}]", "nodes[0].count: expected a number up to 100000"),
           std::pair("nodes: [{count: many}]", "nodes[0].count: expected a number up to 100000"),
           std::pair("nodes: [{zones: a}]", "nodes[0].zones: expected a list of names"),
           std::pair("nodes: [{labels: {a: 1}}]", "nodes[0].labels: expected a map of texts"),
           std::pair("nodes: [{taints: {}}]", "nodes[0].taints: expected a list of {key, value, effect}"),
           std::pair("nodes: [{resources: {cpu: lots}}]",
                     "nodes[0].resources.cpu: expected an amount, such as 8, 500m or 32Gi"),
           std::pair("nodes: [{resources: {cpu: -1}}]",
                     "nodes[0].resources.cpu: expected an amount, such as 8, 500m or 32Gi"),
           std::pair("nodes: [{name: a}, {name: a}]", "nodes[1].name: another shape is called a, too"),
           std::pair("nodes: [{taints: [{key: a, effect: Never}]}]",
                     "nodes[0].taints: expected a list of {key, value, effect}"),
       }) {
    const auto shapes = ParseShapes(text);
    ASSERT_FALSE(shapes) << text;
    const std::string line = std::string_view(problem).starts_with("nodes") ? "line 1: " : "";
    EXPECT_EQ(shapes.error().message, line + problem) << text;
  }
}

TEST(NodeShapes, AreRefusedWhereTheApiServerWouldRefuseTheirNodes) {
  for (const auto& [text, problem] : {
           std::pair("nodes:\n- name: a\n- name: Bad_Name",
                     "line 3: nodes[1]: metadata.name: Invalid value: \"Bad_Name-1\""),
           std::pair("nodes:\n- {labels: {'a b': c}}", "line 2: nodes[0]: metadata.labels: Invalid value: \"a b\""),
           std::pair("nodes:\n- {labels: {a: 'b c'}}", "line 2: nodes[0]: metadata.labels: Invalid value: \"b c\""),
           std::pair("nodes:\n- {count: 5, zones: [a, 'b c', d]}",
                     "line 2: nodes[0]: metadata.labels: Invalid value: \"b c\""),
           std::pair("nodes:\n- {resources: {'x y': 1}}",
                     "line 2: nodes[0].resources: \"x y\" is no name of a resource: "),
           std::pair("nodes:\n- {taints: [{key: 'x y', effect: NoSchedule}]}",
                     "line 2: nodes[0]: metadata.taints[0].key: Invalid value: \"x y\""),
           std::pair("nodes:\n- {taints: [{key: a, efect: x, effect: NoSchedule}]}",
                     "line 2: nodes[0].taints: expected"),
           std::pair("node: []\nnodes: []", "unknown member \"node\""),
       }) {
    const auto shapes = ParseShapes(text);
    ASSERT_FALSE(shapes) << text;
    EXPECT_TRUE(shapes.error().message.starts_with(problem)) << shapes.error().message;
  }
}

TEST(NodeShapes, DefaultNodesAreInThreeZones) {
  const std::vector<Json> nodes = MakeNodes(DefaultShapes(4), Time{});
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0]["metadata"]["labels"]["topology.kubernetes.io/zone"].text(), "zone-a");
  EXPECT_EQ(nodes[3]["metadata"]["labels"]["topology.kubernetes.io/zone"].text(), "zone-a");
  EXPECT_EQ(nodes[0]["status"]["allocatable"]["memory"].text(), "32Gi");
}

}  // namespace
}  // namespace berth::server
