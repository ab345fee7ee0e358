// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/namespaces/quota_controller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

void AddQuota(TestCluster& cluster, std::string_view spec, std::string_view name = "q") {
  cluster.Create("", "resourcequotas", fmt::format("metadata: {{name: {}}}\nspec: {}", name, spec));
  cluster.Run(Milliseconds(100));
}

std::string Used(const TestCluster& cluster, std::string_view resource, std::string_view quota = "q") {
  return cluster.Tree("", "resourcequotas", quota)["status"]["used"][resource].text();
}

std::string SizedPod(std::string_view name, std::string_view cpu, std::string_view more = "") {
  return fmt::format(
      "metadata: {{name: {}}}\nspec: {{containers: [{{name: a, image: a, resources: {{requests: {{cpu: {}}}}}}}]{}}}",
      name, cpu, more);
}

// What a controller that forgot everything would say.
void ExpectRecounted(const TestCluster& cluster) {
  TestCluster fresh(false);
  for (const char* plural : {"namespaces", "resourcequotas", "pods", "services", "persistentvolumeclaims"}) {
    for (const auto& [key, object] : cluster.store.All(cluster.Get("", plural))) {
      Json tree = object->Tree();
      if (plural == std::string_view("resourcequotas")) tree.Erase("status");
      ASSERT_TRUE(fresh.objects.Restore(fresh.Get("", plural), std::move(tree)));
    }
  }
  fresh.loop.Add(std::make_unique<QuotaController>(fresh.loop.cluster()));
  fresh.loop.Start();
  fresh.Run(Milliseconds(100));
  for (const auto& [key, quota] : cluster.store.All(cluster.Get("", "resourcequotas"))) {
    EXPECT_EQ(fresh.Tree("", "resourcequotas", quota->name(), quota->ns())["status"].ToText(),
              quota->Tree()["status"].ToText());
  }
}

TEST(QuotaController, CountsWhatIsThereAndWhatComesAndGoes) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "pods", SizedPod("early", "1"));
  cluster.Create("", "services", "metadata: {name: s}\nspec: {type: NodePort, ports: [{port: 80}]}");
  AddQuota(cluster,
           "{hard: {cpu: '3', pods: '10', services.nodeports: '5', count/pods: '10', count/none.example: '1'}}");
  EXPECT_EQ(cluster.Tree("", "resourcequotas", "q")["status"]["used"].ToText(),
            R"({"count/pods":"1","cpu":"1","pods":"1","services.nodeports":"1"})");

  cluster.Create("", "pods", SizedPod("late", "1500m"));
  EXPECT_EQ(Used(cluster, "cpu"), "2500m");  // At once.
  EXPECT_EQ(cluster.TryCreate(cluster.Get("", "pods"), SizedPod("more", "501m")).error().message,
            "pods \"more\" is forbidden: exceeded quota: q, requested: cpu=501m, used: cpu=2500m, limited: cpu=3");
  cluster.Delete("", "pods", "early");
  cluster.Delete("", "services", "s");
  cluster.Run();
  EXPECT_EQ(Used(cluster, "cpu"), "1500m");
  EXPECT_EQ(Used(cluster, "services.nodeports"), "0");
  ExpectRecounted(cluster);
}

TEST(QuotaController, PodsThatHaveEndedAreOnlyCounted) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddQuota(cluster, "{hard: {cpu: '3', pods: '10', count/pods: '10'}}");
  cluster.Create("", "pods",
                 "metadata: {name: short, annotations: {berth.dev/complete-after: 1s}}\nspec: {restartPolicy: Never, "
                 "containers: [{name: a, image: a, resources: {requests: {cpu: 1}}}]}");
  EXPECT_EQ(Used(cluster, "pods"), "1");
  cluster.Run();
  ASSERT_EQ(cluster.Find("", "pods", "short")->Field("status.phase"), "Succeeded");
  EXPECT_EQ(Used(cluster, "pods"), "0");
  EXPECT_EQ(Used(cluster, "cpu"), "0");
  EXPECT_EQ(Used(cluster, "count/pods"), "1");
  ExpectRecounted(cluster);
}

TEST(QuotaController, PodsWhoseEndIsOverdueFreeTheirShare) {
  TestCluster cluster;
  AddQuota(cluster, "{hard: {pods: '1'}}");
  cluster.Create("", "pods", "metadata: {name: held, finalizers: [a.b/c]}\nspec: {containers: [{name: a, image: a}]}");
  cluster.Delete("", "pods", "held");
  cluster.Run(Seconds(1));
  const Json metadata = cluster.Tree("", "pods", "held")["metadata"];
  ASSERT_TRUE(metadata.Has("deletionTimestamp"));
  cluster.Run(Seconds(2 * metadata["deletionGracePeriodSeconds"].IntOr(0) + 3));
  EXPECT_EQ(Used(cluster, "pods"), "0");
  cluster.Create("", "pods", "metadata: {name: next}\nspec: {containers: [{name: a, image: a}]}");
}

TEST(QuotaController, FollowsChangesOfTheQuota) {
  TestCluster cluster;
  AddQuota(cluster, "{hard: {pods: '1'}}");
  cluster.Create("", "pods", SizedPod("a", "1"));
  cluster.Change("", "resourcequotas", "q", [](Json& quota) {
    quota.Make({"spec", "hard"}).Set("requests.cpu", "2");
    quota.Make({"spec", "hard"}).Set("pods", "2");
  });
  cluster.Run(Milliseconds(100));
  const Json status = cluster.Tree("", "resourcequotas", "q")["status"];
  EXPECT_EQ(status.ToText(), R"({"hard":{"pods":"2","requests.cpu":"2"},"used":{"pods":"1","requests.cpu":"1"}})");
  // What somebody else says of it does not last.
  cluster.Change(
      "", "resourcequotas", "q", [](Json& quota) { quota.Make({"status", "used"}).Set("pods", "7"); }, "status");
  cluster.Run(Milliseconds(100));
  EXPECT_EQ(Used(cluster, "pods"), "1");
}

TEST(QuotaController, ScopesAndNamespacesAreApart) {
  TestCluster cluster;
  cluster.Create("", "namespaces", "metadata: {name: other}");
  AddQuota(cluster, "{hard: {pods: '5'}, scopes: [Terminating]}");
  AddQuota(cluster, "{hard: {pods: '5'}, scopes: [NotTerminating]}", "rest");
  cluster.Create("", "pods", SizedPod("a", "1", ", activeDeadlineSeconds: 1000"));
  cluster.Create("", "pods", SizedPod("b", "1"));
  cluster.Create("", "pods", "metadata: {name: c, namespace: other}\nspec: {containers: [{name: a, image: a}]}");
  cluster.Change("", "pods", "b", [](Json& pod) { pod.Make("spec").Set("activeDeadlineSeconds", Json::Int(5)); });
  cluster.Run(Milliseconds(100));
  EXPECT_EQ(Used(cluster, "pods"), "2");
  EXPECT_EQ(Used(cluster, "pods", "rest"), "0");
  ExpectRecounted(cluster);
}

TEST(QuotaController, AWriteThatFailsUsesNothing) {
  TestCluster cluster;
  AddQuota(cluster, "{hard: {pods: '2'}}");
  AddQuota(cluster, "{hard: {pods: '1'}}", "r");
  cluster.Create("", "pods", SizedPod("a", "1"));
  const Revision before = cluster.store.revision();
  // The first quota has room, the second has none.
  EXPECT_FALSE(cluster.TryCreate(cluster.Get("", "pods"), SizedPod("b", "1")));
  EXPECT_FALSE(cluster.TryCreate(cluster.Get("", "pods"), SizedPod("a", "1")));
  EXPECT_EQ(cluster.store.revision(), before);
  cluster.Delete("", "resourcequotas", "r");
  const auto tried = cluster.TryCreate(cluster.Get("", "pods"), SizedPod("b", "1"), {.dry_run = true});
  EXPECT_TRUE(tried);
  EXPECT_EQ(Used(cluster, "pods"), "1");
}

TEST(QuotaController, DeploymentsGetAsManyPodsAsFit) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddQuota(cluster, "{hard: {pods: '3'}}");
  cluster.Create("apps", "deployments",
                 "metadata: {name: w}\nspec: {replicas: 5, selector: {matchLabels: {a: b}}, template: {metadata: "
                 "{labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}}");
  cluster.Run();
  EXPECT_EQ(cluster.Pods().size(), 3U);
  cluster.Change("", "resourcequotas", "q", [](Json& quota) { quota.Make({"spec", "hard"}).Set("pods", "4"); });
  cluster.Run();
  EXPECT_EQ(cluster.Pods().size(), 4U);
  cluster.Delete("", "resourcequotas", "q");
  cluster.Run();
  EXPECT_EQ(cluster.Pods().size(), 5U);
}

TEST(QuotaController, DevicesOfExtendedResourcesAreCountedOnce) {
  TestCluster cluster;
  cluster.Create("resource.k8s.io", "deviceclasses", "metadata: {name: gpu}\nspec: {extendedResourceName: x.com/gpu}");
  AddQuota(cluster, "{hard: {requests.x.com/gpu: '4', gpu.deviceclass.resource.k8s.io/devices: '4'}}");
  cluster.Create("", "pods",
                 "metadata: {name: p}\nspec: {containers: [{name: a, image: a, resources: {limits: {x.com/gpu: 1}}}]}");
  const std::string uid = cluster.Find("", "pods", "p")->uid();
  cluster.Create("resource.k8s.io", "resourceclaims",
                 "metadata: {name: made, annotations: {resource.kubernetes.io/extended-resource-claim: 'true'}, "
                 "ownerReferences: [{apiVersion: v1, kind: Pod, name: p, controller: true, uid: " +
                     uid + "}]}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 1}}]}}");
  cluster.Run(Milliseconds(100));
  EXPECT_EQ(Used(cluster, "requests.x.com/gpu"), "1");
  EXPECT_EQ(Used(cluster, "gpu.deviceclass.resource.k8s.io/devices"), "1");
}

}  // namespace
}  // namespace berth::server
