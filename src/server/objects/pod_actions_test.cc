// SPDX-License-Identifier: Apache-2.0
#include "server/objects/pod_actions.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kWebPod =
    "metadata: {name: pod, labels: {app: web}}\nspec: {containers: [{name: a, image: a}]}";

Json Binding(std::string_view node, std::string_view uid = {}) {
  Json binding{{"metadata", Json{{"name", Json::String("pod")}}},
               {"target", Json{{"kind", Json::String("Node")}, {"name", Json::String(node)}}}};
  if (!uid.empty()) binding.Make("metadata").Set("uid", uid);
  return binding;
}

Outcome<void> Bind(TestCluster& cluster, const Json& binding, bool dry_run = false) {
  return BindPod(cluster.objects, "default", "pod", binding, dry_run);
}

Outcome<void> Evict(TestCluster& cluster, Json options = {}, bool dry_run = false) {
  Json eviction{{"metadata", Json{{"name", Json::String("pod")}}}};
  if (!options.is_null()) eviction.Set("deleteOptions", std::move(options));
  return EvictPod(cluster.objects, "default", "pod", eviction, dry_run);
}

Json Condition(const Json& pod, std::string_view type) {
  for (const Json& condition : pod["status"]["conditions"].items()) {
    if (condition["type"].text() == type) return condition;
  }
  return {};
}

// A pod that runs, with a budget of these counts.
void AddGuarded(TestCluster& cluster, int64_t allowed, bool is_seen = true, bool is_ready = true) {
  cluster.Create("", "pods", kWebPod);
  cluster.Bind("pod", "node");
  cluster.Change(
      "", "pods", "pod",
      [&](Json& pod) {
        pod.Make("status").Set("phase", "Running");
        SetPodCondition(
            pod, Json{{"type", Json::String("Ready")}, {"status", Json::String(is_ready ? "True" : "False")}}, Time{});
      },
      "status");
  cluster.Create("policy", "poddisruptionbudgets",
                 "metadata: {name: guard}\nspec: {minAvailable: 1, selector: {matchLabels: {app: web}}}");
  cluster.Change(
      "policy", "poddisruptionbudgets", "guard",
      [&](Json& budget) {
        Json& status = budget.Make("status");
        status.Set("disruptionsAllowed", Json::Int(allowed));
        status.Set("currentHealthy", Json::Int(1 + allowed));
        status.Set("desiredHealthy", Json::Int(1));
        status.Set("expectedPods", Json::Int(1 + allowed));
        status.Set("observedGeneration", Json::Int(is_seen ? 1 : 0));
      },
      "status");
}

TEST(BindPod, PutsThePodOnTheNode) {
  TestCluster cluster(false);
  const ObjectPtr pod = cluster.Create("", "pods", kWebPod);
  Json binding = Binding("anywhere", pod->uid());
  binding.Make({"metadata", "annotations"}).Set("why", "because");
  ASSERT_TRUE(Bind(cluster, binding, true));
  EXPECT_TRUE(cluster.Find("", "pods", "pod")->Field("spec.nodeName").empty()) << "a dry run";
  ASSERT_TRUE(Bind(cluster, binding));
  const Json bound = cluster.Tree("", "pods", "pod");
  EXPECT_EQ(bound["spec"]["nodeName"].text(), "anywhere");
  EXPECT_EQ(bound["metadata"]["annotations"]["why"].text(), "because");
  EXPECT_EQ(Condition(bound, "PodScheduled")["status"].text(), "True");
}

TEST(BindPod, RefusesWhatCannotBeBound) {
  TestCluster cluster(false);
  cluster.Create("", "pods", kWebPod);
  const auto code = [&](const Json& binding) {
    const Outcome<void> bound = Bind(cluster, binding);
    return bound ? 0 : bound.error().code;
  };
  EXPECT_EQ(code(Binding("n", "another-uid")), 409);
  Json other_name = Binding("n");
  other_name.Make("metadata").Set("name", "other");
  EXPECT_EQ(code(other_name), 400);
  EXPECT_EQ(code(Binding("")), 500);
  ASSERT_TRUE(Bind(cluster, Binding("n")));
  const Outcome<void> again = Bind(cluster, Binding("m"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, 409);
  EXPECT_EQ(again.error().message,
            "Operation cannot be fulfilled on pods/binding \"pod\": pod pod is already assigned to node \"n\"");
  EXPECT_EQ(
      BindPod(cluster.objects, "default", "none",
              Json{{"metadata", Json{{"name", Json::String("none")}}}, {"target", Json{{"name", Json::String("n")}}}},
              false)
          .error()
          .code,
      404);
}

TEST(BindPod, RefusesPodsThatGoOrAreGated) {
  TestCluster cluster(false);
  cluster.Create("", "pods",
                 "metadata: {name: pod, finalizers: [x.io/y]}\nspec: {containers: [{name: a, image: a}], "
                 "schedulingGates: [{name: x.io/gate}]}");
  EXPECT_EQ(Bind(cluster, Binding("n")).error().code, 409);
  cluster.Change("", "pods", "pod", [](Json& pod) { pod.Make("spec").Erase("schedulingGates"); });
  cluster.Delete("", "pods", "pod");
  EXPECT_EQ(Bind(cluster, Binding("n")).error().code, 409);
}

TEST(EvictPod, WithoutABudgetItIsADeletion) {
  TestCluster cluster(false);
  cluster.Create("", "pods", kWebPod);
  cluster.Bind("pod", "node");
  ASSERT_TRUE(Evict(cluster));
  const Json pod = cluster.Tree("", "pods", "pod");
  EXPECT_EQ(pod["metadata"]["deletionGracePeriodSeconds"].IntOr(0), 30);
  EXPECT_EQ(Condition(pod, "DisruptionTarget")["reason"].text(), "EvictionByEvictionAPI");
}

TEST(EvictPod, SpendsTheBudget) {
  TestCluster cluster(false);
  AddGuarded(cluster, 1);
  ASSERT_TRUE(Evict(cluster, {}, true));
  EXPECT_FALSE(cluster.Tree("", "pods", "pod")["metadata"].Has("deletionTimestamp")) << "a dry run";
  ASSERT_TRUE(Evict(cluster));
  const Json status = cluster.Tree("policy", "poddisruptionbudgets", "guard")["status"];
  EXPECT_EQ(status["disruptionsAllowed"].IntOr(-1), 0);
  EXPECT_EQ(status["disruptedPods"]["pod"].text(), "2026-01-01T00:00:00Z");
  EXPECT_TRUE(cluster.Tree("", "pods", "pod")["metadata"].Has("deletionTimestamp"));
}

TEST(EvictPod, RefusesWhenTheBudgetIsSpentOrNotSeenYet) {
  {
    TestCluster cluster(false);
    AddGuarded(cluster, 0);
    const Outcome<void> spent = Evict(cluster);
    ASSERT_FALSE(spent);
    EXPECT_EQ(spent.error().code, 429);
    EXPECT_EQ(spent.error().retry_after_seconds, 0);
    EXPECT_EQ(spent.error().causes[0].message, "The disruption budget guard needs 1 healthy pods and has 1 currently");
  }
  TestCluster cluster(false);
  AddGuarded(cluster, 1, false);
  const Outcome<void> unseen = Evict(cluster);
  ASSERT_FALSE(unseen);
  EXPECT_EQ(unseen.error().code, 429);
  EXPECT_EQ(unseen.error().retry_after_seconds, 10);
}

TEST(EvictPod, APodThatIsNotReadyMayGoIfEnoughOthersAre) {
  TestCluster cluster(false);
  AddGuarded(cluster, 0, true, false);
  EXPECT_TRUE(Evict(cluster));
  EXPECT_EQ(cluster.Tree("policy", "poddisruptionbudgets", "guard")["status"]["disruptedPods"].size(), 0U);
}

TEST(EvictPod, TwoBudgetsAreTooMany) {
  TestCluster cluster(false);
  AddGuarded(cluster, 1);
  cluster.Create("policy", "poddisruptionbudgets",
                 "metadata: {name: second}\nspec: {minAvailable: 1, selector: {matchLabels: {app: web}}}");
  EXPECT_EQ(Evict(cluster).error().code, 500);
}

TEST(EvictPod, PendingPodsNeedNoBudget) {
  TestCluster cluster(false);
  AddGuarded(cluster, 0);
  cluster.Change("", "pods", "pod", [](Json& pod) { pod.Make("status").Set("phase", "Pending"); }, "status");
  EXPECT_TRUE(Evict(cluster));
}

TEST(EvictPod, IsMeantForOnePod) {
  TestCluster cluster(false);
  AddGuarded(cluster, 1);
  Json options;
  options.Make("preconditions").Set("uid", "another");
  EXPECT_EQ(Evict(cluster, options).error().code, 409);
  EXPECT_TRUE(Condition(cluster.Tree("", "pods", "pod"), "DisruptionTarget").is_null());
}

}  // namespace
}  // namespace berth::server
