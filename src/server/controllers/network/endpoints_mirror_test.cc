// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/endpoints_mirror.h"

#include <gtest/gtest.h>

#include "server/controllers/network/test_network.h"

namespace berth::server {
namespace {

constexpr std::string_view kOutside = R"(
metadata: {name: outside, labels: {tier: back}, annotations: {note: ours}}
subsets:
- addresses: [{ip: 192.0.2.1}, {ip: "2001:db8::1"}]
  notReadyAddresses: [{ip: 192.0.2.2, hostname: two}]
  ports: [{port: 5432}]
)";

void AddOutside(TestCluster& cluster) {
  cluster.Create("", "services", "metadata: {name: outside}\nspec: {ports: [{port: 5432}]}");
  cluster.Create("", "endpoints", kOutside);
  cluster.Run();
}

Json SliceOfFamily(const TestCluster& cluster, std::string_view family) {
  for (const Json& slice : SlicesOf(cluster, "outside")) {
    if (slice["addressType"].text() == family) return slice;
  }
  return {};
}

TEST(EndpointsMirror, ShowsEndpointsOfOthersAsSlices) {
  TestCluster cluster;
  AddOutside(cluster);

  ASSERT_EQ(SlicesOf(cluster, "outside").size(), 2U);
  const Json slice = SliceOfFamily(cluster, "IPv4");
  EXPECT_EQ(slice["metadata"]["labels"].ToText(),
            R"({"endpointslice.kubernetes.io/managed-by":"endpointslicemirroring-controller.k8s.io",)"
            R"("kubernetes.io/service-name":"outside","tier":"back"})");
  EXPECT_EQ(slice["metadata"]["annotations"].ToText(), R"({"note":"ours"})");
  EXPECT_EQ(slice["ports"].ToText(), R"([{"name":"","port":5432,"protocol":"TCP"}])");
  EXPECT_EQ(slice["endpoints"].ToText(),
            R"([{"addresses":["192.0.2.1"],"conditions":{"ready":true}},)"
            R"({"addresses":["192.0.2.2"],"conditions":{"ready":false},"hostname":"two"}])");
  EXPECT_EQ(SliceOfFamily(cluster, "IPv6")["endpoints"].size(), 1U);
}

TEST(EndpointsMirror, FollowsThem) {
  TestCluster cluster;
  AddOutside(cluster);
  const std::string name = SliceOfFamily(cluster, "IPv4")["metadata"]["name"].text();
  cluster.Change("", "endpoints", "outside", [](Json& endpoints) {
    Json& subset = endpoints.Make("subsets").mutable_items()[0];
    subset.Set("addresses", Json::MakeList({Json{{"ip", Json::String("192.0.2.9")}}}));
    subset.Erase("notReadyAddresses");
    endpoints.Make("metadata").Erase("annotations");
  });
  cluster.Run();

  ASSERT_EQ(SlicesOf(cluster, "outside").size(), 1U);
  const Json slice = SlicesOf(cluster, "outside")[0];
  EXPECT_EQ(slice["metadata"]["name"].text(), name);
  EXPECT_FALSE(slice["metadata"].Has("annotations"));
  EXPECT_EQ(slice["endpoints"].ToText(), R"([{"addresses":["192.0.2.9"],"conditions":{"ready":true}}])");
  cluster.Delete("", "endpoints", "outside");
  cluster.Run();
  EXPECT_TRUE(SlicesOf(cluster, "outside").empty());
}

TEST(EndpointsMirror, LeavesAloneWhatIsNotForIt) {
  for (const auto& [what, labels, annotations, selector] :
       {std::tuple("skipped", "endpointslice.kubernetes.io/skip-mirror: 'true'", "", ""),
        std::tuple("a leader's lock", "", "control-plane.alpha.kubernetes.io/leader: '{}'", ""),
        std::tuple("with a selector", "", "", "selector: {app: nothing}, ")}) {
    SCOPED_TRACE(what);
    TestCluster cluster;
    cluster.Create("", "services",
                   fmt::format("metadata: {{name: outside}}\nspec: {{{}ports: [{{port: 5432}}]}}", selector));
    cluster.Run();
    const size_t before = SlicesOf(cluster, "outside").size();
    const auto edit = [&](Json& endpoints) {
      endpoints.Set("subsets", TestCluster::Parse(cluster.Get("", "endpoints"), kOutside)["subsets"]);
    };
    if (cluster.Find("", "endpoints", "outside") == nullptr) {
      cluster.Create(
          "", "endpoints",
          fmt::format("metadata: {{name: outside, labels: {{{}}}, annotations: {{{}}}}}", labels, annotations));
    }
    cluster.Change("", "endpoints", "outside", edit);
    cluster.Run();
    EXPECT_EQ(SlicesOf(cluster, "outside").size(), before);
  }
}

TEST(EndpointsMirror, SaysWhatItLeavesOut) {
  TestCluster cluster;
  cluster.Create("", "services", "metadata: {name: outside}\nspec: {ports: [{port: 5432}]}");
  std::string addresses;
  for (int i = 0; i < 1002; ++i) addresses += fmt::format("{{ip: 192.0.{}.{}}},", i / 250, 1 + i % 250);
  cluster.Create("", "endpoints",
                 "metadata: {name: outside}\nsubsets: [{ports: [{port: 1}], addresses: [" + addresses + "]}]");
  cluster.Run();

  ASSERT_EQ(SlicesOf(cluster, "outside").size(), 1U);
  EXPECT_EQ(SlicesOf(cluster, "outside")[0]["endpoints"].size(), 1000U);
  std::string told;
  for (const auto& [key, event] : cluster.store.All(cluster.Get("", "events"))) {
    const Json tree = event->Tree();
    if (tree["reason"].text() == "TooManyAddressesToMirror") told = tree["message"].text();
  }
  EXPECT_EQ(told,
            "A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 2 addresses were skipped");
}

}  // namespace
}  // namespace berth::server
