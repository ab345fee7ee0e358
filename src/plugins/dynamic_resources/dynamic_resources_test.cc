// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/dynamic_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/devices/test_devices.h"
#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::PodBuilder;

TEST(DynamicResources, PodsWithoutClaimsAreSkipped) {
  cluster::Cluster cluster;
  PluginTrial trial(cluster, PodBuilder("p"));

  EXPECT_TRUE(DynamicResources().PreFilter(trial.cycle()).status.is_skip());
}

// A cluster with the nodes "n1" and "n2", a device on each, and a claim "c".
struct TwoNodes {
  TwoNodes() {
    for (const char* node : {"n1", "n2"}) {
      cluster.AddNode(cluster::NodeBuilder(node));
      cluster.objects.Put(cluster::TestSlice(std::string("s-") + node, node, node, cluster::TestDevices(1)));
    }
    cluster.objects.Put(cluster::TestClass());
    cluster.objects.Put(claim);
    pod.raw().spec.resource_claims = {{.name = "gpu", .claim_name = "c", .template_name = {}}};
  }

  cluster::Cluster cluster;
  api::ResourceClaim claim = cluster::TestClaim("c", {cluster::TestRequest("req")});
  PodBuilder pod{"p"};
};

TEST(DynamicResources, NodesWithoutFreeDevicesAreTurnedDown) {
  TwoNodes two;
  api::ResourceClaim other = cluster::TestClaim("other", {});
  other.allocation = cluster::TestAllocation("n1", {"dev-0"});
  two.cluster.objects.Put(other);
  PluginTrial trial(two.cluster, two.pod);
  const DynamicResources plugin;
  ASSERT_TRUE(plugin.PreFilter(trial.cycle()).status.ok());

  EXPECT_THAT(trial.Filter(plugin),
              testing::ElementsAre(testing::Pair("n1", "UnschedulableAndUnresolvable: cannot allocate all claims")));
}

TEST(DynamicResources, AllocatedClaimsAreUsableWhereTheirDevicesAre) {
  TwoNodes two;
  two.claim.allocation = cluster::TestAllocation("n1", {"dev-0"});
  two.claim.allocation->node_selector = api::NodeSelector{
      .terms = {{.match_expressions = {}, .match_fields = {{.key = "metadata.name", .op = "In", .values = {"n1"}}}}}};
  two.cluster.objects.Put(two.claim);
  PluginTrial trial(two.cluster, two.pod);
  const DynamicResources plugin;
  ASSERT_TRUE(plugin.PreFilter(trial.cycle()).status.ok());

  EXPECT_THAT(trial.Filter(plugin),
              testing::ElementsAre(
                  testing::Pair("n2", "UnschedulableAndUnresolvable: resourceclaim not available on the node")));
}

// No event would ever take it out of the pods that wait for one.
TEST(DynamicResources, ASearchThatIsGivenUpIsAnErrorAndNoRejection) {
  cluster::Cluster cluster;
  cluster.AddNode(cluster::NodeBuilder("n"));
  cluster.objects.Put(cluster::TestClass());
  cluster.objects.Put(cluster::TestSlice("s", "pool", "n", cluster::TestDevices(2'100)));
  PodBuilder pod("p");
  for (int i = 0; i < 65; ++i) {
    const std::string name = "c" + std::to_string(i);
    cluster.objects.Put(cluster::TestClaim(name, {cluster::TestRequest("req", 32)}));
    pod.raw().spec.resource_claims.push_back({.name = name, .claim_name = name, .template_name = {}});
  }
  PluginTrial trial(cluster, pod);
  const DynamicResources plugin;
  ASSERT_TRUE(plugin.PreFilter(trial.cycle()).status.ok());

  EXPECT_THAT(trial.Filter(plugin),
              testing::ElementsAre(testing::Pair("n", "Error: node n: timed out trying to allocate devices")));
}

TEST(DynamicResources, MissingClassesAndClaimsInFlightTurnThePodDown) {
  TwoNodes two;
  const DynamicResources plugin;
  const auto message = [&] {
    PluginTrial trial(two.cluster, two.pod);
    return plugin.PreFilter(trial.cycle()).status.message();
  };

  two.cluster.devices.AddInFlight("uid-c", cluster::TestAllocation("n1", {"dev-0"}));
  EXPECT_EQ(message(), "resource claim default/c is in the process of being allocated");
  two.cluster.devices.RemoveInFlight("uid-c");
  two.cluster.objects.Erase("DeviceClass", "", "gpu");
  EXPECT_EQ(message(), "request req: device class gpu does not exist");
  two.claim.requests[0].exactly.reset();
  two.cluster.objects.Put(two.claim);
  EXPECT_EQ(message(), "resource claim default/c, request req: unknown request type");
}

// A pod "p" with one claim that is made from a template.
PodBuilder PodWithTemplate() {
  PodBuilder pod("p");
  pod.raw().spec.resource_claims = {{.name = "gpu", .claim_name = {}, .template_name = "template"}};
  return pod;
}

std::string PreEnqueueMessage(const api::Pod& pod, cluster::Cluster& cluster) {
  return DynamicResources().PreEnqueue(*cluster.MakePod(pod), cluster).message();
}

TEST(DynamicResources, PodsWaitForTheClaimsMadeForThem) {
  cluster::Cluster cluster;
  PodBuilder pod = PodWithTemplate();
  EXPECT_EQ(PreEnqueueMessage(pod, cluster), "pod \"default/p\": ResourceClaim not created yet");

  pod.raw().status.resource_claim_statuses = {{.name = "gpu", .claim_name = "p-gpu"}};
  EXPECT_EQ(PreEnqueueMessage(pod, cluster), "could not find ResourceClaim \"default/p-gpu\"");

  api::ResourceClaim claim;
  claim.meta.ns = "default";
  claim.meta.name = "p-gpu";
  cluster.objects.Put(claim);
  EXPECT_EQ(PreEnqueueMessage(pod, cluster),
            "ResourceClaim default/p-gpu was not created for Pod default/p (Pod is not owner)");

  claim.meta.owner_references = {{.api_version = "v1", .kind = "Pod", .name = "p", .uid = "uid-p", .controller = true}};
  cluster.objects.Put(claim);
  EXPECT_EQ(PreEnqueueMessage(pod, cluster), "");

  claim.meta.deletion_timestamp = Time{1};
  cluster.objects.Put(claim);
  EXPECT_EQ(PreEnqueueMessage(pod, cluster), "resourceclaim \"p-gpu\" is being deleted");
}

TEST(DynamicResources, PodsDoNotWaitForClaimsThatAreNotNeeded) {
  cluster::Cluster cluster;
  PodBuilder pod = PodWithTemplate();
  pod.raw().status.resource_claim_statuses = {{.name = "gpu", .claim_name = {}}};

  EXPECT_EQ(PreEnqueueMessage(pod, cluster), "");
}

TEST(DynamicResources, ScoresNothingAndHasNoWorkBeforeBinding) {
  cluster::Cluster cluster;
  cluster.AddNode(cluster::NodeBuilder("n"));
  PluginTrial trial(cluster, PodBuilder("p"));
  EXPECT_TRUE(DynamicResources().PreFilter(trial.cycle()).status.is_skip());

  EXPECT_EQ(trial.Score(DynamicResources()).at("n"), 0);
  EXPECT_TRUE(DynamicResources().PreBindPreFlight(trial.cycle(), trial.nodes().front()).is_skip());
}

}  // namespace
}  // namespace berth::plugins
