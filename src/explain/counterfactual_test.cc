// SPDX-License-Identifier: Apache-2.0
#include "explain/counterfactual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/test_cluster.h"

namespace berth::explain {
namespace {

using testing::HasSubstr;

CounterfactualAnswer Find(TestCluster& cluster, const std::string& pod = "default/p") {
  Result<CounterfactualAnswer> answer = Counterfactuals(*cluster.core, pod, cluster.surroundings->now(), cluster.pacer);
  EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
  return answer ? *std::move(answer) : CounterfactualAnswer();
}

const std::string kNodes =
    NodeYaml("a", ", zone: west") + NodeYaml("b", ", zone: east") +
    "---\n{apiVersion: v1, kind: Node, metadata: {name: t, labels: {kubernetes.io/hostname: t}}, "
    "spec: {taints: [{key: gpu, value: 'yes', effect: NoSchedule}]}, "
    "status: {allocatable: {cpu: 2, memory: 4Gi, pods: 10}}}\n";
const std::string kFull = PodYaml("oa", "1500m", ", nodeName: a", ", labels: {app: o}") +
                          PodYaml("ob", "1200m", ", nodeName: b", ", labels: {app: o}");

TEST(Counterfactual, UndoingTheOneChangeIsFirst) {
  struct Case {
    std::string pod;    // Of a pod that fits but for one thing.
    std::string first;  // What undoes it.
  };
  const std::string apart =
      ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
      "labelSelector: {matchLabels: {app: o}}}]}}";
  const std::string affinity =
      ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
      "[{matchExpressions: [{key: zone, operator: In, values: [z]}]}]}}}";
  const std::vector<Case> cases = {
      {PodYaml("p", "900m"), "lower the request of cpu from 900m to 800m"},
      {PodYaml("p", "300m", ", nodeSelector: {disk: ssd}"), "drop the node selector disk=ssd"},
      {PodYaml("p", "300m", affinity), "drop the required node affinity"},
      {PodYaml("p", "300m", apart), "drop the pod anti-affinity term 1 (topology zone)"},
      {PodYaml("p", "300m", ", schedulingGates: [{name: g}]"), "remove the scheduling gate g"},
      {PodYaml("p", "2"), "tolerate the taint gpu=yes:NoSchedule"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.first);
    TestCluster cluster(kNodes + kFull + each.pod);
    const CounterfactualAnswer answer = Find(cluster);
    ASSERT_FALSE(answer.changes.empty()) << answer.message;
    EXPECT_EQ(answer.changes.front().text, each.first) << CounterfactualText(ToJson(answer));
  }
}

TEST(Counterfactual, SpreadingIsRelaxedByAsLittleAsHelps) {
  TestCluster cluster(NodeYaml("a", ", zone: west") + NodeYaml("b", ", zone: east") +
                      NodeYaml("c", ", zone: east", "100m") +
                      PodYaml("o1", "100m", ", nodeName: b", ", labels: {app: o}") +
                      PodYaml("o2", "100m", ", nodeName: b", ", labels: {app: o}") +
                      PodYaml("p", "100m",
                              ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
                              "whenUnsatisfiable: DoNotSchedule, nodeAffinityPolicy: Ignore, "
                              "labelSelector: {matchLabels: {app: o}}}], nodeSelector: {zone: east}",
                              ", labels: {app: o}"));

  const CounterfactualAnswer answer = Find(cluster);

  EXPECT_THAT(CounterfactualText(ToJson(answer)), HasSubstr("raise maxSkew of spreading over zone from 1 to 3"));
}

TEST(Counterfactual, NodesAndPrioritiesHelpToo) {
  TestCluster cluster(NodeYaml("a") + PodYaml("old", "2", ", nodeName: a") + PodYaml("p", "1500m"));

  const std::string text = CounterfactualText(ToJson(Find(cluster)));

  EXPECT_THAT(text, HasSubstr("free 1500m of cpu on node a, or add as much"));
  EXPECT_THAT(text, HasSubstr("add a node like a (2 cpu, 4Gi) -> the new node"));
  EXPECT_THAT(text, HasSubstr("raise its priority from 0 to 1 -> a, evicting default/old"));
  EXPECT_EQ(cluster.core->cluster().nodes().row_count(), 1U);
}

TEST(Counterfactual, ClaimsAreRelaxed) {
  const std::string devices =
      "---\n{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, "
      "spec: {selectors: [{cel: {expression: 'device.driver == \"gpu.example.com\"'}}]}}\n"
      "---\n{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: npu}, "
      "spec: {selectors: [{cel: {expression: 'device.driver == \"npu.example.com\"'}}]}}\n"
      "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: a}, spec: {driver: gpu.example.com, "
      "nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: d0}, {name: d1}]}}\n";
  const auto claim = [](const std::string& request) {
    return "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: mine}, "
           "spec: {devices: {requests: [{name: r, exactly: {" +
           request + "}}]}}}\n";
  };
  const std::string pod = PodYaml("p", "100m", ", resourceClaims: [{name: c, resourceClaimName: mine}]");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"deviceClassName: npu", "ask for devices of class gpu in the claim mine"},
      {"deviceClassName: gpu, selectors: [{cel: {expression: 'false'}}]", "drop the selector false of the claim mine"},
      {"deviceClassName: gpu, count: 3", "ask for 2 devices in place of 3 in the claim mine"},
  };
  for (const auto& [request, first] : cases) {
    SCOPED_TRACE(first);
    TestCluster cluster(NodeYaml("a") + devices + claim(request) + pod);
    const CounterfactualAnswer answer = Find(cluster);
    ASSERT_FALSE(answer.changes.empty()) << answer.message;
    EXPECT_EQ(answer.changes.front().text, first) << CounterfactualText(ToJson(answer));
    ASSERT_EQ(answer.changes.front().patches.size(), 1U);
    EXPECT_EQ(answer.changes.front().patches.front().kind, "ResourceClaim");
  }
}

TEST(Counterfactual, GroupsAreTriedAsGroups) {
  const framework::FeatureGates gates = *framework::FeatureGates::Create({{"GenericWorkload", true}});
  std::string yaml = NodeYaml("a") + NodeYaml("b") +
                     "---\n{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, "
                     "spec: {schedulingPolicy: {gang: {minCount: 3}}}}\n";
  for (const char* name : {"p", "q", "r"}) yaml += PodYaml(name, "1500m", ", schedulingGroup: {podGroupName: g}");
  TestCluster cluster(yaml, gates);

  const CounterfactualAnswer answer = Find(cluster);

  ASSERT_EQ(answer.changes.size(), 3U) << CounterfactualText(ToJson(answer));
  EXPECT_EQ(answer.changes[0].text, "lower minCount of the group g from 3 to 2");
  EXPECT_EQ(answer.changes[1].text, "lower the request of cpu from 1500m to 1 in 3 members of the group");
  EXPECT_EQ(answer.changes[1].patches.size(), 3U);
  EXPECT_EQ(answer.changes[2].text, "add a node like a (2 cpu, 4Gi)");
}

TEST(Counterfactual, OfPodsThatDoNotWaitIsRefused) {
  TestCluster cluster(NodeYaml("a") + PodYaml("old", "2", ", nodeName: a"));
  EXPECT_FALSE(Counterfactuals(*cluster.core, "default/old", cluster.surroundings->now(), cluster.pacer));
  EXPECT_FALSE(Counterfactuals(*cluster.core, "default/nobody", cluster.surroundings->now(), cluster.pacer));
}

}  // namespace
}  // namespace berth::explain
