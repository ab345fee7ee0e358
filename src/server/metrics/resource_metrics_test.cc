// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/resource_metrics.h"

#include <gtest/gtest.h>

#include "server/rest/test_exchange.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

class ResourceMetricsTest : public testing::Test {
 protected:
  ResourceMetricsTest()
      : api_(cluster_.catalog, cluster_.store, cluster_.objects, cluster_.timers, 3),
        metrics_(cluster_.catalog, cluster_.store, api_, cluster_.loop.cluster()) {
    cluster_.AddNode("node-1");
    cluster_.Create("", "pods", R"(
metadata: {name: said, labels: {app: web}, annotations: {berth.dev/cpu-usage: 301m, berth.dev/memory-usage: 10Mi}}
spec: {containers: [{name: a, image: a}, {name: b, image: b}]}
)");
    cluster_.Create("", "pods", R"(
metadata: {name: asked}
spec: {containers: [{name: a, image: a, resources: {requests: {cpu: 100m, memory: 6Mi}}}]}
)");
    cluster_.Create("", "pods", R"(
metadata: {name: pending, annotations: {berth.dev/start-after: 1h, berth.dev/cpu-usage: "5"}}
spec: {containers: [{name: a, image: a}]}
)");
    cluster_.Run();
  }

  Json Ask(const std::string& path) {
    auto answer = std::make_shared<MemoryAnswer>();
    net::ServerRequest request;
    request.method = "GET";
    request.target = "/apis/metrics.k8s.io" + path;
    api_.Handle(std::move(request), std::make_unique<MemoryExchange>(answer));
    return ParseTree(answer->body).value();
  }

  TestCluster cluster_;
  ApiServer api_;
  ResourceMetrics metrics_;
};

TEST_F(ResourceMetricsTest, TellWhatContainersUse) {
  const Json said = Ask("/v1beta1/namespaces/default/pods/said");
  EXPECT_EQ(said["kind"].text(), "PodMetrics");
  EXPECT_EQ(said["window"].text(), "15s");
  EXPECT_EQ(said["containers"].ToText(), R"([{"name":"a","usage":{"cpu":"151m","memory":"5Mi"}},)"
                                         R"({"name":"b","usage":{"cpu":"150m","memory":"5Mi"}}])");
  const Json asked = Ask("/v1beta1/namespaces/default/pods/asked");
  EXPECT_EQ(asked["containers"].ToText(), R"([{"name":"a","usage":{"cpu":"50m","memory":"3Mi"}}])");
}

TEST_F(ResourceMetricsTest, AreListedByNamespaceAndLabel) {
  EXPECT_EQ(Ask("/v1beta1/pods")["items"].size(), 2U);
  EXPECT_EQ(Ask("/v1beta1/namespaces/kube-system/pods")["items"].size(), 0U);
  const Json selected = Ask("/v1beta1/namespaces/default/pods?labelSelector=app%3Dweb");
  EXPECT_EQ(selected["kind"].text(), "PodMetricsList");
  ASSERT_EQ(selected["items"].size(), 1U);
  EXPECT_EQ(selected["items"][size_t{0}]["metadata"]["name"].text(), "said");
}

TEST_F(ResourceMetricsTest, OfNodesAreThoseOfTheirPods) {
  EXPECT_EQ(Ask("/v1beta1/nodes/node-1")["usage"].ToText(), R"({"cpu":"351m","memory":"13Mi"})");
  cluster_.Delete("", "pods", "said");
  cluster_.Run();
  EXPECT_EQ(Ask("/v1beta1/nodes")["items"][size_t{0}]["usage"].ToText(), R"({"cpu":"50m","memory":"3Mi"})");
}

TEST_F(ResourceMetricsTest, AreFoundByClientsAndCannotBeWritten) {
  const Json resources = Ask("/v1beta1")["resources"];
  ASSERT_EQ(resources.size(), 2U);
  EXPECT_EQ(resources[size_t{0}]["verbs"].ToText(), R"(["get","list"])");
  EXPECT_EQ(Ask("/v1beta1/nodes/nowhere")["message"].text(), "nodes.metrics.k8s.io \"nowhere\" not found");
  EXPECT_EQ(Ask("/v1beta1/namespaces/default/pods/pending")["code"].IntOr(0), 404);
  EXPECT_EQ(Ask("/v1beta1/pods?watch=true")["code"].IntOr(0), 405);
}

}  // namespace
}  // namespace berth::server
