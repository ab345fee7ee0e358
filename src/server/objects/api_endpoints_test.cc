// SPDX-License-Identifier: Apache-2.0
#include "server/objects/api_endpoints.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

TEST(ApiEndpoints, TellWhereTheServerIs) {
  TestCluster cluster;
  PublishApi(cluster.objects, "127.0.0.1", 6443);
  cluster.Run();

  const Json subset = cluster.Tree("", "endpoints", "kubernetes")["subsets"][size_t{0}];
  EXPECT_EQ(subset["addresses"][size_t{0}]["ip"].text(), "127.0.0.1");
  EXPECT_EQ(subset["ports"].ToText(), R"([{"name":"https","port":6443,"protocol":"TCP"}])");
  const Json slice = cluster.Tree("discovery.k8s.io", "endpointslices", "kubernetes");
  EXPECT_EQ(slice["addressType"].text(), "IPv4");
  EXPECT_EQ(slice["endpoints"].ToText(), R"([{"addresses":["127.0.0.1"],"conditions":{"ready":true}}])");
  EXPECT_EQ(slice["metadata"]["labels"].ToText(), R"({"kubernetes.io/service-name":"kubernetes"})");
  // Nobody mirrors them once more.
  EXPECT_EQ(cluster.store.Count(cluster.Get("discovery.k8s.io", "endpointslices")), 1U);
}

TEST(ApiEndpoints, FollowTheServerAndAreLeftAloneOtherwise) {
  TestCluster cluster(false);
  PublishApi(cluster.objects, "127.0.0.1", 6443);
  const Revision first = cluster.store.revision();

  PublishApi(cluster.objects, "127.0.0.1", 6443);
  EXPECT_EQ(cluster.store.revision(), first);
  PublishApi(cluster.objects, "2001:db8::7", 7000);

  const Json slice = cluster.Tree("discovery.k8s.io", "endpointslices", "kubernetes");
  EXPECT_EQ(slice["addressType"].text(), "IPv6");
  EXPECT_EQ(slice["ports"][size_t{0}]["port"].IntOr(0), 7000);
  EXPECT_EQ(cluster.Tree("", "endpoints", "kubernetes")["subsets"][size_t{0}]["addresses"].ToText(),
            R"([{"ip":"2001:db8::7"}])");
}

}  // namespace
}  // namespace berth::server
