// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_volume_limits/node_volume_limits.h"

#include <gtest/gtest.h>

#include "plugins/helpers/test_run.h"
#include "plugins/helpers/volume_objects.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using Source = api::Volume::Source;
using LimitsRun = TestRun<NodeVolumeLimits>;

const std::string kExceeded = "Unschedulable: node(s) exceed max volume count";

api::CsiNode::Driver Driver(std::string name, std::optional<int32_t> limit) {
  return {.name = std::move(name), .node_id = "", .topology_keys = {}, .allocatable_count = limit};
}

// One node "n" with the limit; claims a, b, c are bound to volumes of csi.example.com.
struct LimitsWorld {
  explicit LimitsWorld(std::optional<int32_t> limit, const std::string& driver = "csi.example.com") {
    cluster.AddNode(NodeBuilder("n"));
    cluster.objects.csi_nodes.Put(MakeCsiNode("n", {Driver(driver, limit)}));
    for (const std::string name : {"a", "b", "c"}) {
      cluster.objects.persistent_volume_claims.Put(MakeBoundClaim(name, "pv-" + name));
      cluster.objects.persistent_volumes.Put(MakeCsiVolume("pv-" + name, "csi.example.com"));
    }
  }
  void Place(PodBuilder pod) { ASSERT_TRUE(cluster.AddPod(cluster.MakePod(pod.Node("n")))); }
  Texts Rejections(const PodBuilder& pod) { return LimitsRun(plugin, cluster, pod).Rejections(); }

  cluster::Cluster cluster;
  NodeVolumeLimits plugin{true};
};

TEST(NodeVolumeLimits, VolumesOfPodsCountOncePerVolume) {
  LimitsWorld world(2);
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("a").Claim("b")), Texts{});
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("a").Claim("b").Claim("c")), (Texts{{"n", kExceeded}}));

  world.Place(PodBuilder("x").Claim("a").Claim("b"));
  world.Place(PodBuilder("y").Claim("b").Claim("unknown"));
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("a").Claim("b")), Texts{});
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("c")), (Texts{{"n", kExceeded}}));
}

TEST(NodeVolumeLimits, AttachmentsWithoutPodCountToo) {
  LimitsWorld world(1);
  api::VolumeAttachment attachment;
  attachment.meta.name = "va";
  attachment.attacher = "csi.example.com";
  attachment.node_name = "n";
  attachment.persistent_volume_name = "pv-a";
  world.cluster.objects.volume_attachments.Put(attachment);

  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("b")), (Texts{{"n", kExceeded}}));
  // Upstream counts an attached volume once more for a pod that brings it along.
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("a")), (Texts{{"n", kExceeded}}));
  world.Place(PodBuilder("x").Claim("a"));
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("a")), Texts{});
}

TEST(NodeVolumeLimits, WhatIsKeptOfNodesFollowsPodsAttachmentsAndLimits) {
  LimitsWorld world(3);
  LimitsRun run(world.plugin, world.cluster, PodBuilder("p").Claim("a"));
  EXPECT_EQ(run.Rejections(), Texts{});

  world.Place(PodBuilder("x").Claim("b").Claim("c"));
  EXPECT_EQ(run.Rejections(), Texts{});
  world.cluster.objects.csi_nodes.Put(MakeCsiNode("n", {Driver("csi.example.com", 2)}));
  EXPECT_EQ(run.Rejections(), (Texts{{"n", kExceeded}}));
  world.cluster.objects.persistent_volume_claims.Erase("default", "c");
  EXPECT_EQ(run.Rejections(), Texts{});
  api::VolumeAttachment attachment;
  attachment.meta.name = "va";
  attachment.attacher = "csi.example.com";
  attachment.node_name = "n";
  attachment.persistent_volume_name = "pv-c";
  world.cluster.objects.volume_attachments.Put(attachment);
  EXPECT_EQ(run.Rejections(), (Texts{{"n", kExceeded}}));
  attachment.node_name = "other";
  world.cluster.objects.volume_attachments.Put(attachment);
  EXPECT_EQ(run.Rejections(), Texts{});
}

TEST(NodeVolumeLimits, NodesWithoutLimitsPass) {
  LimitsWorld world(std::nullopt);
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("a").Claim("b").Claim("c")), Texts{});
  world.cluster.objects.csi_nodes.Erase("", "n");
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("a").Claim("b").Claim("c")), Texts{});
}

TEST(NodeVolumeLimits, UnboundClaimsCountForTheProvisionerOfTheirClass) {
  LimitsWorld world(0, "ebs.csi.aws.com");
  world.cluster.objects.persistent_volume_claims.Put(MakeClaim("u", "ebs"));
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("u")), Texts{});
  world.cluster.objects.storage_classes.Put(MakeClass("ebs", "kubernetes.io/aws-ebs"));
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("u")), (Texts{{"n", kExceeded}}));
}

TEST(NodeVolumeLimits, InlineVolumesCountForTheDriverTheyHaveMovedTo) {
  LimitsWorld world(1, "ebs.csi.aws.com");
  world.Place(PodBuilder("x").AddVolume(Source::kAwsElasticBlockStore, "vol-1"));
  EXPECT_EQ(world.Rejections(PodBuilder("p").AddVolume(Source::kAwsElasticBlockStore, "aws:///vol-1")), Texts{});
  EXPECT_EQ(world.Rejections(PodBuilder("p").AddVolume(Source::kAwsElasticBlockStore, "vol-2")),
            (Texts{{"n", kExceeded}}));
  EXPECT_EQ(world.Rejections(PodBuilder("p").AddVolume(Source::kAwsElasticBlockStore, "aws://z/x")),
            (Texts{{"*",
                    "Error: converting volume(volume-0) from inline to csi: failed to translate Kubernetes ID to EBS "
                    "Volume ID Invalid format for AWS volume (aws://z/x)"}}));
}

TEST(NodeVolumeLimits, DriversMayInsistOnBeingInstalled) {
  LimitsWorld world(std::nullopt, "other.example.com");
  api::CsiDriver driver;
  driver.meta.name = "csi.example.com";
  driver.prevent_pod_scheduling_if_missing = true;
  world.cluster.objects.csi_drivers.Put(driver);

  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("a")),
            (Texts{{"n", "Unschedulable: csi.example.com CSI driver is not installed on the node"}}));
  const NodeVolumeLimits gate_off(false);
  EXPECT_EQ(LimitsRun(gate_off, world.cluster, PodBuilder("p").Claim("a")).Rejections(), Texts{});
}

TEST(NodeVolumeLimits, ClaimsOfThePodMustExistAndBelongToIt) {
  LimitsWorld world(1);
  EXPECT_EQ(
      world.Rejections(PodBuilder("p").Claim("x")),
      (Texts{{"n", "UnschedulableAndUnresolvable: looking up PVC default/x: persistentvolumeclaim \"x\" not found"}}));
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("")), (Texts{{"*", "Error: PersistentVolumeClaim had no name"}}));
  world.cluster.objects.persistent_volume_claims.Put(MakeClaim("p-volume-0", ""));
  EXPECT_EQ(world.Rejections(PodBuilder("p").AddVolume(Source::kEphemeral, "")),
            (Texts{{"*", "Error: PVC default/p-volume-0 was not created for pod default/p (pod is not owner)"}}));
  EXPECT_TRUE(
      LimitsRun(world.plugin, world.cluster, PodBuilder("p").AddVolume(Source::kCsi, "d")).PreFilter().is_skip());
}

}  // namespace
}  // namespace berth::plugins
