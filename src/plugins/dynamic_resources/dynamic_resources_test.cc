// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/dynamic_resources.h"

#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::PodBuilder;
using framework::StatusCode;

TEST(DynamicResources, PodsWithoutClaimsAreSkipped) {
  cluster::Cluster cluster;
  PluginTrial trial(cluster, PodBuilder("p"));

  EXPECT_TRUE(DynamicResources().PreFilter(trial.cycle()).status.is_skip());
}

TEST(DynamicResources, PodsWithClaimsAreTurnedDown) {
  cluster::Cluster cluster;
  PodBuilder pod("p");
  pod.raw().spec.resource_claims.resize(1);
  PluginTrial trial(cluster, pod);

  const framework::Status status = DynamicResources().PreFilter(trial.cycle()).status;

  EXPECT_EQ(status.code, StatusCode::kUnschedulableAndUnresolvable);
  EXPECT_EQ(status.message(), "resource claims are not supported yet");
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
