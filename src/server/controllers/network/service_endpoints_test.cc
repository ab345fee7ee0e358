// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/service_endpoints.h"

#include <gtest/gtest.h>

#include <set>

#include "server/controllers/network/test_network.h"

namespace berth::server {
namespace {

constexpr auto kFirst = size_t{0};

void AddPod(TestCluster& cluster, std::string_view name, std::string_view labels, std::string_view spec = "",
            std::string_view ports = "") {
  cluster.Create("", "pods",
                 fmt::format(R"(
metadata: {{name: {}, labels: {{{}}}}}
spec: {{containers: [{{name: a, image: a, ports: [{}]}}]{}}}
)",
                             name, labels, ports, spec));
}

TEST(ServiceEndpoints, PublishThePodsOfTheSelector) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddWebService(cluster);
  AddWebPods(cluster, 3);
  AddPod(cluster, "other", "app: other");
  cluster.Run();

  const Json subsets = SubsetsIn(cluster);
  ASSERT_EQ(subsets.size(), 1U);
  EXPECT_EQ(subsets[kFirst]["ports"].ToText(), R"([{"name":"www","port":8080,"protocol":"TCP"}])");
  ASSERT_EQ(subsets[kFirst]["addresses"].size(), 3U);
  const Json metadata = cluster.Tree("", "endpoints", "web")["metadata"];
  EXPECT_EQ(metadata["labels"].ToText(),
            R"({"endpoints.kubernetes.io/managed-by":"endpoint-controller","tier":"front"})");

  const std::vector<Json> slices = SlicesOf(cluster);
  ASSERT_EQ(slices.size(), 1U);
  const Json& slice = slices[0];
  EXPECT_TRUE(slice["metadata"]["name"].text().starts_with("web-"));
  EXPECT_EQ(slice["metadata"]["labels"]["endpointslice.kubernetes.io/managed-by"].text(),
            "endpointslice-controller.k8s.io");
  EXPECT_EQ(slice["metadata"]["labels"]["tier"].text(), "front");
  EXPECT_EQ(slice["metadata"]["ownerReferences"][kFirst]["kind"].text(), "Service");
  EXPECT_TRUE(slice["metadata"]["annotations"].Has("endpoints.kubernetes.io/last-change-trigger-time"));
  EXPECT_EQ(slice["addressType"].text(), "IPv4");
  EXPECT_EQ(slice["ports"].ToText(), R"([{"name":"www","port":8080,"protocol":"TCP"}])");
  ASSERT_EQ(slice["endpoints"].size(), 3U);
  const Json& endpoint = slice["endpoints"][kFirst];
  const Json pod = cluster.Tree("", "pods", endpoint["targetRef"]["name"].text());
  EXPECT_EQ(endpoint["addresses"][kFirst], pod["status"]["podIP"]);
  EXPECT_EQ(endpoint["targetRef"]["uid"], pod["metadata"]["uid"]);
  EXPECT_EQ(endpoint["nodeName"].text(), "node-1");
  EXPECT_EQ(endpoint["conditions"].ToText(), R"({"ready":true,"serving":true,"terminating":false})");
}

TEST(ServiceEndpoints, ArePublishedForPodsThatWereThereBefore) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddWebPods(cluster, 2);
  cluster.Run();
  AddWebService(cluster);
  cluster.Run();
  ASSERT_EQ(SlicesOf(cluster).size(), 1U);
  EXPECT_EQ(SlicesOf(cluster)[0]["endpoints"].size(), 2U);

  cluster.Change("", "services", "web", [](Json& service) { service.Make({"spec", "selector"}).Set("app", "nobody"); });
  cluster.Run();
  EXPECT_TRUE(SubsetsIn(cluster).empty());
  EXPECT_TRUE(SlicesOf(cluster)[0]["endpoints"].empty());
}

TEST(ServiceEndpoints, FollowLabelsAndEndsOfPods) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddWebService(cluster);
  AddPod(cluster, "a", "app: web", "", "{name: http, containerPort: 8080}");
  AddPod(cluster, "b", "app: other", "", "{name: http, containerPort: 8080}");
  cluster.Run();
  const std::string name = SlicesOf(cluster)[0]["metadata"]["name"].text();
  ASSERT_EQ(SlicesOf(cluster)[0]["endpoints"].size(), 1U);

  cluster.Change("", "pods", "b", [](Json& pod) { pod.Make({"metadata", "labels"}).Set("app", "web"); });
  cluster.Change("", "pods", "a", [](Json& pod) { pod.Make("status").Set("phase", "Succeeded"); }, "status");
  cluster.Run();
  EXPECT_EQ(SlicesOf(cluster)[0]["endpoints"][kFirst]["targetRef"]["name"].text(), "b");
  EXPECT_EQ(SubsetsIn(cluster)[kFirst]["addresses"].size(), 1U);

  // The slice is used on, also for nothing.
  cluster.Delete("", "pods", "b");
  cluster.Run();
  EXPECT_TRUE(SubsetsIn(cluster).empty());
  ASSERT_EQ(SlicesOf(cluster).size(), 1U);
  EXPECT_TRUE(SlicesOf(cluster)[0]["endpoints"].empty());
  EXPECT_TRUE(SlicesOf(cluster)[0]["ports"].empty());
  EXPECT_EQ(SlicesOf(cluster)[0]["metadata"]["name"].text(), name);
}

TEST(ServiceEndpoints, TellPodsThatAreNotReadyApart) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddWebService(cluster);
  AddPod(cluster, "a", "app: web", ", readinessGates: [{conditionType: x/ready}]", "{name: http, containerPort: 8080}");
  AddPod(cluster, "b", "app: web", "", "{name: http, containerPort: 8080}");
  cluster.Run();
  const auto close_gate = [&](Json& pod) {
    SetPodCondition(pod, Json{{"type", Json::String("x/ready")}, {"status", Json::String("False")}},
                    cluster.objects.now());
  };
  cluster.Change("", "pods", "a", close_gate, "status");
  cluster.Run();

  const Json subset = SubsetsIn(cluster)[kFirst];
  EXPECT_EQ(subset["addresses"][kFirst]["targetRef"]["name"].text(), "b");
  EXPECT_EQ(subset["notReadyAddresses"][kFirst]["targetRef"]["name"].text(), "a");
  for (const Json& endpoint : SlicesOf(cluster)[0]["endpoints"].items()) {
    const bool is_ready = endpoint["targetRef"]["name"].text() == "b";
    EXPECT_EQ(endpoint["conditions"]["ready"].AsBool(), is_ready);
    EXPECT_EQ(endpoint["conditions"]["serving"].AsBool(), is_ready);
  }

  cluster.Change("", "services", "web",
                 [](Json& service) { service.Make("spec").Set("publishNotReadyAddresses", Json::Bool(true)); });
  cluster.Run();
  EXPECT_EQ(SubsetsIn(cluster)[kFirst]["addresses"].size(), 2U);
  for (const Json& endpoint : SlicesOf(cluster)[0]["endpoints"].items()) {
    EXPECT_TRUE(endpoint["conditions"]["ready"].AsBool());
  }
}

TEST(ServiceEndpoints, ShowPodsThatEndAsTerminating) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddWebService(cluster);
  AddPod(cluster, "a", "app: web", "", "{name: http, containerPort: 8080}");
  cluster.Run();
  cluster.Change("", "pods", "a",
                 [](Json& pod) { pod.Make({"metadata", "annotations"}).Set("berth.dev/terminate-after", "20s"); });
  cluster.Delete("", "pods", "a");
  cluster.Run();
  EXPECT_TRUE(SubsetsIn(cluster).empty());
  EXPECT_EQ(SlicesOf(cluster)[0]["endpoints"][kFirst]["conditions"].ToText(),
            R"({"ready":false,"serving":true,"terminating":true})");
}

TEST(ServiceEndpoints, GroupPodsByThePortsThatTheyOffer) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "services", R"(
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{name: www, port: 80, targetPort: http}, {name: admin, port: 81, targetPort: 9000}]
)");
  AddPod(cluster, "a", "app: web", "", "{name: http, containerPort: 8080}");
  AddPod(cluster, "b", "app: web", "", "{name: http, containerPort: 8081}");
  AddPod(cluster, "c", "app: web");
  cluster.Run();

  std::map<std::string, std::string> ports;  // By pod.
  for (const Json& slice : SlicesOf(cluster)) {
    ASSERT_EQ(slice["endpoints"].size(), 1U);
    std::string& offered = ports[slice["endpoints"][kFirst]["targetRef"]["name"].text()];
    for (const Json& port : slice["ports"].items()) offered += port["port"].text() + " ";
  }
  EXPECT_EQ(ports, (std::map<std::string, std::string>{{"a", "9000 8080 "}, {"b", "9000 8081 "}, {"c", "9000 "}}));
  ASSERT_EQ(SubsetsIn(cluster).size(), 3U);
  EXPECT_EQ(SubsetsIn(cluster)[size_t{2}]["ports"][kFirst]["port"].IntOr(0), 9000);
  EXPECT_EQ(SubsetsIn(cluster)[size_t{2}]["addresses"].size(), 3U);
}

TEST(ServiceEndpoints, KnowTheNamesAndZonesOfHeadlessPods) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Change("", "nodes", "node-1",
                 [](Json& node) { node.Make({"metadata", "labels"}).Set("topology.kubernetes.io/zone", "east"); });
  cluster.Create("", "services", R"(
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, trafficDistribution: PreferSameNode}
)");
  AddPod(cluster, "db-0", "app: db", ", hostname: db-0, subdomain: db");
  cluster.Run();

  const Json address = SubsetsIn(cluster, "db")[kFirst]["addresses"][kFirst];
  EXPECT_EQ(address["hostname"].text(), "db-0");
  EXPECT_TRUE(cluster.Tree("", "endpoints", "db")["metadata"]["labels"].Has("service.kubernetes.io/headless"));
  ASSERT_EQ(SlicesOf(cluster, "db").size(), 1U);
  const Json slice = SlicesOf(cluster, "db")[0];
  EXPECT_TRUE(slice["metadata"]["labels"].Has("service.kubernetes.io/headless"));
  const Json& endpoint = slice["endpoints"][kFirst];
  EXPECT_EQ(endpoint["hostname"].text(), "db-0");
  EXPECT_EQ(endpoint["zone"].text(), "east");
  EXPECT_EQ(endpoint["hints"].ToText(), R"({"forNodes":[{"name":"node-1"}],"forZones":[{"name":"east"}]})");
}

TEST(ServiceEndpoints, StandInSlicesOfAHundred) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddWebService(cluster);
  AddWebPods(cluster, 250);
  cluster.Run();

  std::set<std::string> pods;
  for (const Json& slice : SlicesOf(cluster)) {
    EXPECT_LE(slice["endpoints"].size(), 100U);
    for (const Json& endpoint : slice["endpoints"].items()) pods.insert(endpoint["targetRef"]["name"].text());
  }
  EXPECT_EQ(pods.size(), 250U);
  EXPECT_EQ(SubsetsIn(cluster)[kFirst]["addresses"].size(), 250U);
  cluster.Change("apps", "deployments", "web", [](Json& set) { set.Make("spec").Set("replicas", Json::Int(1)); });
  cluster.Run();
  EXPECT_EQ(SlicesOf(cluster).size(), 1U);
}

TEST(ServiceEndpoints, AreWrittenInParts) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  // A port of its own for each pod is a slice of its own for each.
  for (int i = 0; i < 70; ++i) {
    AddPod(cluster, fmt::format("pod-{}", i), "app: web", "",
           fmt::format("{{name: http, containerPort: {}}}", 8000 + i));
  }
  cluster.Run();
  AddWebService(cluster);
  size_t before = 0;
  for (int step = 0; before < 70 && step < 100; ++step) {
    cluster.timers.AdvanceToNext();
    EXPECT_LE(SlicesOf(cluster).size() - before, 50U);
    before = SlicesOf(cluster).size();
  }
  EXPECT_EQ(SlicesOf(cluster).size(), 70U);
}

TEST(ServiceEndpoints, AreMendedAndGoWithTheService) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddWebService(cluster);
  AddWebPods(cluster, 1);
  cluster.Run();
  cluster.Delete("discovery.k8s.io", "endpointslices", SlicesOf(cluster)[0]["metadata"]["name"].text());
  cluster.Delete("", "endpoints", "web");
  ASSERT_TRUE(SlicesOf(cluster).empty());
  cluster.Run();
  EXPECT_EQ(SlicesOf(cluster)[0]["endpoints"].size(), 1U);
  EXPECT_EQ(SubsetsIn(cluster).size(), 1U);

  cluster.Delete("", "services", "web");
  cluster.Run();
  EXPECT_TRUE(SlicesOf(cluster).empty());
  EXPECT_EQ(cluster.Find("", "endpoints", "web"), nullptr);
}

TEST(ServiceEndpoints, AreNotWrittenWhileNothingThatTheyShowChanges) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddWebService(cluster);
  AddPod(cluster, "a", "app: web", "", "{name: http, containerPort: 8080}");
  cluster.Run();
  const Revision slice =
      cluster.Find("discovery.k8s.io", "endpointslices", SlicesOf(cluster)[0]["metadata"]["name"].text())->revision();
  const Revision endpoints = cluster.Find("", "endpoints", "web")->revision();
  cluster.Change("", "pods", "a", [](Json& pod) { pod.Make({"metadata", "annotations"}).Set("note", "new"); });
  cluster.Change("", "services", "web",
                 [](Json& service) { service.Make({"metadata", "annotations"}).Set("note", "new"); });
  cluster.Run();
  EXPECT_EQ(
      cluster.Find("discovery.k8s.io", "endpointslices", SlicesOf(cluster)[0]["metadata"]["name"].text())->revision(),
      slice);
  EXPECT_EQ(cluster.Find("", "endpoints", "web")->revision(), endpoints);
}

}  // namespace
}  // namespace berth::server
