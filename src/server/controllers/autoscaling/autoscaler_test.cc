// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/autoscaling/autoscaler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "server/model/find_condition.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kCpuTarget =
    "{type: Resource, resource: {name: cpu, target: {type: Utilization, "
    "averageUtilization: 50}}}";

// Its pods request 100m and 100Mi, and use what `annotations` say.
void AddScaled(TestCluster& cluster, int replicas, std::string_view annotations) {
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments",
                 fmt::format(R"(
metadata: {{name: web}}
spec:
  replicas: {}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}, annotations: {{{}}}}}
    spec: {{containers: [{{name: a, image: a, resources: {{requests: {{cpu: 100m, memory: 100Mi}}}}}}]}}
)",
                             replicas, annotations));
  cluster.Run();
}

void AddAutoscaler(TestCluster& cluster, std::string_view metrics, std::string_view more = "",
                   std::string_view name = "web") {
  cluster.Create("autoscaling", "horizontalpodautoscalers",
                 fmt::format(R"(
metadata: {{name: {}}}
spec:
  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}
  minReplicas: 1
  maxReplicas: 10
  metrics: [{}]
  {}
)",
                             name, metrics, more));
}

int64_t Replicas(const TestCluster& cluster) {
  return cluster.Tree("apps", "deployments", "web")["spec"]["replicas"].IntOr(0);
}

Json ScalerStatus(const TestCluster& cluster) {
  return cluster.Tree("autoscaling", "horizontalpodautoscalers", "web")["status"];
}

Json ScalerCondition(const TestCluster& cluster, std::string_view type) {
  return FindCondition(ScalerStatus(cluster)["conditions"], type);
}

std::set<std::string> ScalerEvents(const TestCluster& cluster) {
  std::set<std::string> events;
  for (const auto& [key, event] : cluster.store.All(cluster.Get("", "events"))) {
    const Json tree = event->Tree();
    if (tree["involvedObject"]["kind"].text() != "HorizontalPodAutoscaler") continue;
    events.insert(tree["reason"].text() + ": " + tree["message"].text());
  }
  return events;
}

TEST(Autoscaler, ScalesUpByUtilization) {
  TestCluster cluster;
  AddScaled(cluster, 2, "berth.dev/cpu-usage: 150m");
  cluster.Run(Seconds(20));
  AddAutoscaler(cluster, kCpuTarget);
  cluster.Run(Seconds(20));

  // 150 % of the requests, and half of them is wanted: three times as many, but twice as many at once.
  EXPECT_EQ(Replicas(cluster), 4);
  const Json status = ScalerStatus(cluster);
  EXPECT_EQ(status["currentReplicas"].IntOr(0), 2);
  EXPECT_EQ(status["desiredReplicas"].IntOr(0), 4);
  EXPECT_EQ(status["currentMetrics"].ToText(),
            R"([{"resource":{"current":{"averageUtilization":150,"averageValue":"150m"},"name":"cpu"},)"
            R"("type":"Resource"}])");
  EXPECT_TRUE(status.Has("lastScaleTime"));
  EXPECT_EQ(ScalerCondition(cluster, "AbleToScale")["message"].text(),
            "the HPA controller was able to update the target scale to 4");
  EXPECT_EQ(ScalerCondition(cluster, "ScalingActive")["message"].text(),
            "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of "
            "request)");
  EXPECT_EQ(ScalerCondition(cluster, "ScalingLimited")["reason"].text(), "ScaleUpLimit");
  EXPECT_TRUE(ScalerEvents(cluster).contains(
      "SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target"));
  cluster.Run(Minutes(2));
  EXPECT_EQ(Replicas(cluster), 10);
}

TEST(Autoscaler, ScalesDownOnceItHasBeenCalmForFiveMinutes) {
  TestCluster cluster;
  AddScaled(cluster, 6, "berth.dev/cpu-usage: 10m");
  AddAutoscaler(cluster, kCpuTarget);
  cluster.Run(Minutes(4));
  EXPECT_EQ(Replicas(cluster), 6);
  EXPECT_EQ(ScalerCondition(cluster, "AbleToScale")["reason"].text(), "ScaleDownStabilized");
  cluster.Run(Minutes(2));
  EXPECT_EQ(Replicas(cluster), 2);
  EXPECT_TRUE(ScalerEvents(cluster).contains("SuccessfulRescale: New size: 2; reason: All metrics below target"));
}

TEST(Autoscaler, TakesTheMetricThatAsksForMost) {
  TestCluster cluster;
  AddScaled(cluster, 2, "berth.dev/cpu-usage: 10m, berth.dev/memory-usage: 90Mi");
  AddAutoscaler(cluster, fmt::format("{}, {{type: Resource, resource: {{name: memory, target: {{type: AverageValue, "
                                     "averageValue: 60Mi}}}}}}",
                                     kCpuTarget));
  cluster.Run(Seconds(20));
  EXPECT_EQ(Replicas(cluster), 3);
  const Json metrics = ScalerStatus(cluster)["currentMetrics"];
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[size_t{1}]["resource"]["current"].ToText(), R"({"averageValue":"90Mi"})");
}

TEST(Autoscaler, LeavesSmallDifferencesAlone) {
  TestCluster cluster;
  AddScaled(cluster, 3, "berth.dev/cpu-usage: 54m");
  AddAutoscaler(cluster, kCpuTarget);
  cluster.Run(Minutes(1));
  EXPECT_EQ(Replicas(cluster), 3);
  EXPECT_EQ(ScalerCondition(cluster, "AbleToScale")["reason"].text(), "ReadyForNewScale");
  EXPECT_EQ(ScalerCondition(cluster, "ScalingLimited")["reason"].text(), "DesiredWithinRange");
}

TEST(Autoscaler, BringsTheTargetBetweenItsBounds) {
  TestCluster cluster;
  AddScaled(cluster, 30, "");
  AddAutoscaler(cluster, kCpuTarget);
  cluster.Run(Seconds(20));
  EXPECT_EQ(Replicas(cluster), 10);
  EXPECT_TRUE(ScalerEvents(cluster).contains(
      "SuccessfulRescale: New size: 10; reason: Current number of replicas above Spec.MaxReplicas"));
}

TEST(Autoscaler, LeavesWhatWasScaledToNothing) {
  TestCluster cluster;
  AddScaled(cluster, 0, "");
  AddAutoscaler(cluster, kCpuTarget);
  cluster.Run(Seconds(40));
  EXPECT_EQ(Replicas(cluster), 0);
  EXPECT_EQ(ScalerCondition(cluster, "ScalingActive")["reason"].text(), "ScalingDisabled");
}

TEST(Autoscaler, SaysWhatItCannotFind) {
  TestCluster cluster;
  AddAutoscaler(cluster, kCpuTarget);
  cluster.Run(Seconds(20));
  EXPECT_EQ(ScalerCondition(cluster, "AbleToScale")["message"].text(),
            "the HPA controller was unable to get the target's current scale: deployments.apps \"web\" not found");
  EXPECT_TRUE(ScalerEvents(cluster).contains("FailedGetScale: deployments.apps \"web\" not found"));

  cluster.Change("autoscaling", "horizontalpodautoscalers", "web",
                 [](Json& scaler) { scaler.Make({"spec", "scaleTargetRef"}).Set("kind", "Ship"); });
  cluster.Run(Seconds(20));
  EXPECT_TRUE(ScalerEvents(cluster).contains("FailedGetScale: no matches for kind \"Ship\" in group \"apps\""));
}

TEST(Autoscaler, SaysWhichMetricsItCannotCompute) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", R"(
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}
)");
  AddAutoscaler(cluster, kCpuTarget);
  cluster.Run(Seconds(40));
  const std::string pod(cluster.Pods()[0]->name());
  const std::string why = "failed to get cpu utilization: missing request for cpu in container a of Pod " + pod;
  EXPECT_EQ(ScalerCondition(cluster, "ScalingActive")["reason"].text(), "FailedGetResourceMetric");
  EXPECT_EQ(ScalerCondition(cluster, "ScalingActive")["message"].text(),
            "the HPA was unable to compute the replica count: " + why);
  EXPECT_TRUE(ScalerEvents(cluster).contains("FailedGetResourceMetric: " + why));
  EXPECT_TRUE(ScalerEvents(cluster).contains(
      "FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource "
      "metric value: " +
      why));
}

TEST(Autoscaler, RefusesPodsThatTwoOfThemWouldScale) {
  TestCluster cluster;
  AddScaled(cluster, 2, "berth.dev/cpu-usage: 150m");
  AddAutoscaler(cluster, kCpuTarget, "", "other");
  AddAutoscaler(cluster, kCpuTarget);
  cluster.Run(Seconds(35));
  EXPECT_EQ(ScalerCondition(cluster, "ScalingActive")["message"].text(),
            "pods by selector app=web are controlled by more than one HPA (e.g. [default/other default/web])");
}

TEST(Autoscaler, KeepsToItsBehavior) {
  TestCluster cluster;
  AddScaled(cluster, 2, "berth.dev/cpu-usage: 150m");
  cluster.Run(Seconds(20));
  AddAutoscaler(cluster, kCpuTarget, "behavior: {scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 60}]}}");
  cluster.Run(Seconds(20));
  EXPECT_EQ(Replicas(cluster), 3);
  cluster.Run(Seconds(30));
  EXPECT_EQ(Replicas(cluster), 3);
  cluster.Run(Seconds(30));
  EXPECT_EQ(Replicas(cluster), 4);
}

}  // namespace
}  // namespace berth::server
