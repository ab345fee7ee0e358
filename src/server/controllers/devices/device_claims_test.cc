// SPDX-License-Identifier: Apache-2.0
// The life of claims to devices: made, reserved, released, and taken away by taints. The scheduler's part, to allocate
// them, is played by the tests.
#include <gtest/gtest.h>

#include <string>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kGroup = "resource.k8s.io";

constexpr std::string_view kDevices = "{devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}";

class DeviceClaims : public testing::Test {
 protected:
  // Nobody binds pods but the tests.
  DeviceClaims() { cluster.Create("", "nodes", "metadata: {name: node-1}"); }

  void AddTemplate() {
    cluster.Create(kGroup, "resourceclaimtemplates",
                   "metadata: {name: one-gpu}\nspec: {metadata: {labels: {team: a}, annotations: {note: b}}, spec: " +
                       std::string(kDevices) + "}");
  }
  void AddPod(std::string_view name, std::string_view claim = "resourceClaimTemplateName: one-gpu",
              std::string_view annotations = "{}") {
    cluster.Create("", "pods",
                   "metadata: {name: " + std::string(name) + ", annotations: " + std::string(annotations) +
                       "}\nspec: {containers: [{name: a, image: a, resources: {limits: {example.com/gpu: 1}}}], "
                       "resourceClaims: [{name: gpu, " +
                       std::string(claim) + "}]}");
  }
  std::string ClaimOf(std::string_view pod) const {
    return cluster.Tree("", "pods", pod)["status"]["resourceClaimStatuses"][size_t{0}]["resourceClaimName"].text();
  }
  Json Claim(std::string_view name) const { return cluster.Tree(kGroup, "resourceclaims", name); }

  // What a scheduler does before it binds a pod.
  void Allocate(const std::string& claim, std::string_view pod, std::string_view tolerations = "[]") {
    cluster.Change(kGroup, "resourceclaims", claim, [](Json& object) {
      object.Make("metadata")
          .Set("finalizers", Json::MakeList({Json::String("resource.kubernetes.io/delete-protection")}));
    });
    const Json result =
        Json::FromValue(api::ParseJsonOrYaml("{request: gpu, driver: gpu.example.com, pool: node-1, device: gpu-0, "
                                             "tolerations: " +
                                             std::string(tolerations) + "}")
                            ->front()
                            .root());
    const std::string uid = cluster.Find("", "pods", pod)->uid();
    cluster.Change(
        kGroup, "resourceclaims", claim,
        [&](Json& object) {
          object.Make({"status", "allocation", "devices"}).Set("results", Json::MakeList({result}));
          object.Make("status").Set(
              "reservedFor",
              Json::MakeList(
                  {Json{{"resource", Json::String("pods")}, {"name", Json::String(pod)}, {"uid", Json::String(uid)}}}));
        },
        "status");
  }
  // Runs a pod with a claim of its own; returns the claim's name.
  std::string RunPod(std::string_view pod, std::string_view tolerations = "[]", std::string_view annotations = "{}") {
    AddPod(pod, "resourceClaimTemplateName: one-gpu", annotations);
    cluster.Run();
    const std::string claim = ClaimOf(pod);
    Allocate(claim, pod, tolerations);
    cluster.Bind(pod, "node-1");
    cluster.Run();
    return claim;
  }
  void AddRule(std::string_view effect) {
    cluster.Create(kGroup, "devicetaintrules",
                   "metadata: {name: broken}\nspec: {deviceSelector: {driver: gpu.example.com}, taint: {key: broken, "
                   "effect: " +
                       std::string(effect) + "}}");
  }
  Json RuleCondition() const {
    return cluster.Tree(kGroup, "devicetaintrules", "broken")["status"]["conditions"][size_t{0}];
  }
  std::string Phase(std::string_view pod) const { return cluster.Tree("", "pods", pod)["status"]["phase"].text(); }

  TestCluster cluster{true, WithGroups()};
};

TEST_F(DeviceClaims, AreMadeFromTheTemplateOfAPod) {
  AddTemplate();

  AddPod("pod");
  cluster.Run();

  const std::string name = ClaimOf("pod");
  EXPECT_TRUE(name.starts_with("pod-gpu-")) << name;
  const Json claim = Claim(name);
  EXPECT_EQ(claim["metadata"]["labels"]["team"].text(), "a");
  EXPECT_EQ(claim["metadata"]["annotations"]["note"].text(), "b");
  EXPECT_EQ(claim["metadata"]["annotations"]["resource.kubernetes.io/pod-claim-name"].text(), "gpu");
  EXPECT_EQ(claim["spec"]["devices"]["requests"][size_t{0}]["exactly"]["count"].IntOr(0), 1);
  const Json& owner = claim["metadata"]["ownerReferences"][size_t{0}];
  EXPECT_EQ(owner["uid"].text(), cluster.Find("", "pods", "pod")->uid());
  EXPECT_TRUE(owner["controller"].AsBool());
}

TEST_F(DeviceClaims, OfAPodWaitForTheirTemplate) {
  AddPod("pod");
  cluster.Run();
  EXPECT_EQ(ClaimOf("pod"), "");
  bool is_told = false;
  for (const auto& [key, event] : cluster.store.All(cluster.Get("", "events"))) {
    is_told |= event->Tree()["message"].text() ==
               "PodResourceClaim gpu: resource claim template \"one-gpu\": resourceclaimtemplate.resource.k8s.io "
               "\"one-gpu\" not found";
  }
  EXPECT_TRUE(is_told);

  AddTemplate();
  cluster.Run();

  EXPECT_NE(ClaimOf("pod"), "");
}

TEST_F(DeviceClaims, ThatAreLostAreMadeAgain) {
  AddTemplate();
  AddPod("pod");
  cluster.Run();
  const std::string lost = ClaimOf("pod");

  cluster.Delete(kGroup, "resourceclaims", lost);
  cluster.Run();

  EXPECT_NE(ClaimOf("pod"), lost);
  EXPECT_FALSE(Claim(ClaimOf("pod")).is_null());
}

TEST_F(DeviceClaims, HoldAPodUntilTheyHaveDevices) {
  AddTemplate();
  AddPod("pod");
  cluster.Run();
  cluster.Bind("pod", "node-1");
  cluster.Run();
  EXPECT_EQ(Phase("pod"), "Pending");

  Allocate(ClaimOf("pod"), "pod");
  cluster.Run();

  EXPECT_EQ(Phase("pod"), "Running");
}

TEST_F(DeviceClaims, AreReservedForPodsThatHaveANode) {
  cluster.Create(kGroup, "resourceclaims", "metadata: {name: shared}\nspec: " + std::string(kDevices));
  AddPod("first", "resourceClaimName: shared");
  AddPod("second", "resourceClaimName: shared");
  Allocate("shared", "first");
  cluster.Bind("second", "node-1");

  cluster.Run();

  EXPECT_EQ(Claim("shared")["status"]["reservedFor"].size(), 2U);
  EXPECT_EQ(Phase("second"), "Running");
}

TEST_F(DeviceClaims, LoseTheirDevicesWithTheLastPod) {
  cluster.Create(kGroup, "resourceclaims", "metadata: {name: shared}\nspec: " + std::string(kDevices));
  AddPod("pod", "resourceClaimName: shared");
  Allocate("shared", "pod");
  cluster.Bind("pod", "node-1");
  cluster.Run();
  ASSERT_TRUE(Claim("shared")["status"].Has("allocation"));

  cluster.Delete("", "pods", "pod");
  cluster.Run();

  EXPECT_EQ(Claim("shared")["status"].ToText(), "{}");
  EXPECT_FALSE(Claim("shared")["metadata"].Has("finalizers"));
}

TEST_F(DeviceClaims, ThatAreBeingDeletedAreReservedForNobodyElse) {
  cluster.Create(kGroup, "resourceclaims", "metadata: {name: shared}\nspec: " + std::string(kDevices));
  AddPod("pod", "resourceClaimName: shared");
  Allocate("shared", "pod");
  cluster.Bind("pod", "node-1");
  cluster.Run();
  cluster.Delete(kGroup, "resourceclaims", "shared");
  ASSERT_FALSE(Claim("shared").is_null());

  const auto written = cluster.objects.Update(
      cluster.Get(kGroup, "resourceclaims"), "default", "shared", {.subresource = "status"},
      [](const Json& current) -> Outcome<Json> {
        Json changed = current;
        changed.Make({"status", "reservedFor"})
            .Append(Json{
                {"resource", Json::String("pods")}, {"name", Json::String("other")}, {"uid", Json::String("other")}});
        return changed;
      });

  ASSERT_FALSE(written);
  EXPECT_TRUE(written.error().message.ends_with(
      "status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or "
      "`deletionTimestamp` are set"))
      << written.error().message;
  cluster.Delete("", "pods", "pod");
  cluster.Run();
  EXPECT_TRUE(Claim("shared").is_null());
}

TEST_F(DeviceClaims, OfAPodGoWhenItEnds) {
  AddTemplate();
  const std::string claim = RunPod("pod", "[]", "{berth.dev/complete-after: 30s}");
  ASSERT_TRUE(Claim(claim)["status"].Has("allocation"));

  cluster.Run(Seconds(60));

  EXPECT_EQ(Phase("pod"), "Succeeded");
  EXPECT_TRUE(Claim(claim).is_null());
  EXPECT_TRUE(cluster.store.All(cluster.Get(kGroup, "resourceclaims")).empty());
}

TEST_F(DeviceClaims, OfAPodGoWithIt) {
  AddTemplate();
  const std::string claim = RunPod("pod");

  cluster.Delete("", "pods", "pod");
  cluster.Run();

  EXPECT_TRUE(Claim(claim).is_null());
}

TEST_F(DeviceClaims, OfExtendedResourcesGoWhenThePodEnds) {
  AddPod("pod", "resourceClaimName: none", "{berth.dev/complete-after: 30s}");
  const std::string uid = cluster.Find("", "pods", "pod")->uid();
  cluster.Create(kGroup, "resourceclaims",
                 "metadata: {name: extended, annotations: {resource.kubernetes.io/extended-resource-claim: \"true\"}, "
                 "ownerReferences: [{apiVersion: v1, kind: Pod, name: pod, controller: true, uid: " +
                     uid + "}]}\nspec: " + std::string(kDevices));
  cluster.Create(kGroup, "resourceclaims", "metadata: {name: none}\nspec: " + std::string(kDevices));
  Allocate("extended", "pod");
  Allocate("none", "pod");
  cluster.Change(
      "", "pods", "pod",
      [](Json& pod) {
        pod.Make({"status", "extendedResourceClaimStatus"}).Set("resourceClaimName", "extended");
        pod.Make({"status", "extendedResourceClaimStatus"})
            .Set("requestMappings", Json::MakeList({Json{{"containerName", Json::String("a")},
                                                         {"requestName", Json::String("gpu")},
                                                         {"resourceName", Json::String("example.com/gpu")}}}));
      },
      "status");
  cluster.Bind("pod", "node-1");

  cluster.Run(Seconds(60));

  EXPECT_EQ(Phase("pod"), "Succeeded");
  EXPECT_TRUE(Claim("extended").is_null());
}

TEST_F(DeviceClaims, ThatDoNotTolerateARuleCostThePod) {
  AddTemplate();
  RunPod("plain");
  RunPod("stays", "[{key: broken, operator: Exists, effect: NoExecute}]");
  RunPod("names-no-effect", "[{key: broken, operator: Exists}]");
  RunPod("for-a-while", "[{key: broken, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]");

  AddRule("NoExecute");
  cluster.Run();

  EXPECT_EQ(cluster.Find("", "pods", "plain"), nullptr);
  EXPECT_EQ(cluster.Find("", "pods", "names-no-effect"), nullptr);
  EXPECT_NE(cluster.Find("", "pods", "stays"), nullptr);
  EXPECT_NE(cluster.Find("", "pods", "for-a-while"), nullptr);
  EXPECT_EQ(RuleCondition()["reason"].text(), "PodsPendingEviction");
  cluster.Run(Seconds(60));
  EXPECT_EQ(cluster.Find("", "pods", "for-a-while"), nullptr);
  EXPECT_NE(cluster.Find("", "pods", "stays"), nullptr);
  cluster.Run(Seconds(20));
  EXPECT_EQ(RuleCondition()["status"].text(), "False");
  EXPECT_EQ(RuleCondition()["reason"].text(), "Completed");
  EXPECT_EQ(RuleCondition()["message"].text(), "3 pods evicted since starting the controller.");
}

TEST_F(DeviceClaims, KeepThePodIfTheRuleGoesInTime) {
  AddTemplate();
  RunPod("pod", "[{key: broken, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]");
  AddRule("NoExecute");
  cluster.Run();

  cluster.Delete(kGroup, "devicetaintrules", "broken");
  cluster.Run(Seconds(100));

  EXPECT_EQ(Phase("pod"), "Running");
}

TEST_F(DeviceClaims, OfTaintedSlicesCostThePod) {
  AddTemplate();
  RunPod("pod");
  const auto add_slice = [&](std::string_view name, int generation, std::string_view taints) {
    cluster.Create(kGroup, "resourceslices",
                   "metadata: {name: " + std::string(name) +
                       "}\nspec: {driver: gpu.example.com, nodeName: node-1, "
                       "pool: {name: node-1, resourceSliceCount: 1, generation: " +
                       std::to_string(generation) + "}, devices: [{name: gpu-0, taints: " + std::string(taints) +
                       "}]}");
  };
  add_slice("new", 2, "[]");
  add_slice("old", 1, "[{key: broken, effect: NoExecute}]");
  cluster.Run();
  ASSERT_NE(cluster.Find("", "pods", "pod"), nullptr);

  cluster.Delete(kGroup, "resourceslices", "new");
  cluster.Run();

  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST_F(DeviceClaims, RulesWithoutEffectSayWhatTheyWouldDo) {
  AddTemplate();
  RunPod("pod");

  AddRule("None");
  cluster.Run();

  EXPECT_EQ(RuleCondition()["reason"].text(), "NoEffect");
  EXPECT_EQ(RuleCondition()["message"].text(),
            "0 published devices selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if the "
            "effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger "
            "an update.");
  EXPECT_NE(cluster.Find("", "pods", "pod"), nullptr);
}

TEST_F(DeviceClaims, OfAPodWaitForItsGroup) {
  AddTemplate();
  cluster.Create("", "pods",
                 "metadata: {name: a}\nspec: {schedulingGroup: {podGroupName: g}, containers: [{name: a, image: a}], "
                 "resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]}");
  cluster.Run();
  EXPECT_EQ(ClaimOf("a"), "");

  cluster.Create("scheduling.k8s.io", "podgroups", "metadata: {name: g}\nspec: {schedulingPolicy: {basic: {}}}");
  cluster.Run();
  EXPECT_TRUE(ClaimOf("a").starts_with("a-gpu-")) << ClaimOf("a");
}

TEST_F(DeviceClaims, OfAGroupAreMadeOnceForAllItsPods) {
  cluster.Create("scheduling.k8s.io", "podgroups",
                 "metadata: {name: g}\nspec: {schedulingPolicy: {gang: {minCount: 2}}, resourceClaims: [{name: gpu, "
                 "resourceClaimTemplateName: one-gpu}]}");
  for (const std::string name : {"a", "b"}) {
    cluster.Create("", "pods",
                   "metadata: {name: " + name +
                       "}\nspec: {schedulingGroup: {podGroupName: g}, containers: [{name: a, image: a}], "
                       "resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]}");
  }
  cluster.Run();
  EXPECT_EQ(ClaimOf("a"), "");  // The template is missing.

  AddTemplate();
  cluster.Run();
  const Json group = cluster.Tree("scheduling.k8s.io", "podgroups", "g");
  const std::string claim = group["status"]["resourceClaimStatuses"][size_t{0}]["resourceClaimName"].text();
  ASSERT_TRUE(claim.starts_with("g-gpu-")) << claim;
  EXPECT_EQ(Claim(claim)["metadata"]["ownerReferences"][size_t{0}]["kind"].text(), "PodGroup");
  EXPECT_EQ(ClaimOf("a"), claim);
  EXPECT_EQ(ClaimOf("b"), claim);
  EXPECT_EQ(cluster.store.All(cluster.Get(kGroup, "resourceclaims")).size(), 1U);

  // Bound by hand, both run with the claim of their group.
  Allocate(claim, "a");
  cluster.Change(
      kGroup, "resourceclaims", claim, [](Json& object) { object.Make("status").Erase("reservedFor"); }, "status");
  for (const std::string_view name : {"a", "b"}) cluster.Bind(name, "node-1");
  cluster.Run();
  EXPECT_EQ(Claim(claim)["status"]["reservedFor"][size_t{0}]["resource"].text(), "podgroups");
  EXPECT_EQ(Claim(claim)["status"]["reservedFor"].size(), 1U);
  EXPECT_EQ(cluster.CountPods("Running"), 2U);

  // It is theirs while the group is there, and goes with it.
  cluster.Delete("", "pods", "a");
  cluster.Run();
  EXPECT_EQ(Claim(claim)["status"]["reservedFor"].size(), 1U);
  cluster.Delete("", "pods", "b");
  cluster.Delete("scheduling.k8s.io", "podgroups", "g");
  cluster.Run();
  EXPECT_EQ(cluster.store.All(cluster.Get(kGroup, "resourceclaims")).size(), 0U);
}

}  // namespace
}  // namespace berth::server
