// SPDX-License-Identifier: Apache-2.0
#include "app/node/node_changes.h"

#include <gtest/gtest.h>

#include "api/document/value.h"

namespace berth::node {
namespace {

Json FromYaml(std::string_view yaml) {
  const auto documents = api::ParseJsonOrYaml(yaml);
  EXPECT_TRUE(documents) << documents.error().message;
  return Json::FromValue(documents->front().root());
}

TEST(NewNodes, NamesGoOnWhereOthersEnd) {
  const auto first_name = [](const Json& model, const std::vector<std::string>& present) {
    return NewNodes(1, model, present).front()["metadata"]["name"].text();
  };
  EXPECT_EQ(first_name({}, {}), "node-1");
  EXPECT_EQ(first_name({}, {"node-2", "node-10", "gpu-99", "node-x", "node-"}), "node-11");
  const Json gpu = FromYaml("metadata: {name: gpu-2}");
  EXPECT_EQ(first_name(gpu, {"node-7", "gpu-1", "gpu-2"}), "gpu-3");
  EXPECT_EQ(first_name(FromYaml("metadata: {name: bigbox}"), {"bigbox"}), "bigbox-1");
}

TEST(NewNodes, DefaultOnesAreAsUpMakesThem) {
  const std::vector<Json> nodes = NewNodes(2, {}, {"node-3"});
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0]["metadata"]["labels"]["topology.kubernetes.io/zone"].text(), "zone-a");
  EXPECT_EQ(nodes[1]["metadata"]["labels"]["topology.kubernetes.io/zone"].text(), "zone-b");
  EXPECT_EQ(nodes[1]["status"]["allocatable"]["cpu"].text(), "8");
}

TEST(NewNodes, CopyWhatAModelIsAndNotItsState) {
  const Json model = FromYaml(R"(
metadata: {name: gpu-1, uid: u, labels: {kubernetes.io/hostname: gpu-1, tier: gpu}, annotations: {a: b}}
spec:
  unschedulable: true
  taints:
  - {key: nvidia.com/gpu, effect: NoSchedule}
  - {key: node.kubernetes.io/unschedulable, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}
status:
  capacity: {cpu: "16", nvidia.com/gpu: "8"}
  allocatable: {cpu: "15", nvidia.com/gpu: "8"}
  conditions: [{type: Ready, status: Unknown}]
)");
  EXPECT_EQ(NewNodes(1, model, {"gpu-1"}).front(), FromYaml(R"(
apiVersion: v1
kind: Node
metadata: {name: gpu-2, labels: {tier: gpu}}
spec: {taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}
status:
  capacity: {cpu: "16", nvidia.com/gpu: "8"}
  allocatable: {cpu: "15", nvidia.com/gpu: "8"}
)"));
}

TEST(NodePatches, HoldWhatChanges) {
  const Json node = FromYaml("status: {conditions: [{type: Ready, status: 'True', reason: KubeletReady}]}");
  const Json failed = FailPatch(node, true, Time{})["status"]["conditions"];
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[size_t{0}]["status"].text(), "False");
  EXPECT_EQ(failed[size_t{0}]["lastTransitionTime"].text(), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FailPatch(node, false, Time{})["status"]["conditions"].size(), 4U);
  // Its pressures are missing.
  EXPECT_EQ(HealPatch(node, Time{})["status"]["conditions"].size(), 3U);
}

}  // namespace
}  // namespace berth::node
