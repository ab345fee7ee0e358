// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/volume_count_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/csi_migration.h"
#include "plugins/helpers/plugin_trial.h"
#include "plugins/helpers/volume_objects.h"

namespace berth::plugins::legacy {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;
using testing::Pair;
using Source = api::Volume::Source;

const std::string kCountExceeded = "Unschedulable: node(s) exceed max volume count";

void RunPod(cluster::Cluster& cluster, const PodBuilder& pod) {
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(pod)).has_value());
}

// A claim, bound to `volume` unless that is empty.
void PutClaim(cluster::Cluster& cluster, const std::string& name, const std::string& volume,
              const std::string& class_name = "class") {
  api::PersistentVolumeClaim claim = MakeClaim(name, class_name);
  claim.volume_name = volume;
  cluster.objects.persistent_volume_claims.Put(std::move(claim));
}

void PutVolume(cluster::Cluster& cluster, const std::string& name, Source source, const std::string& id) {
  api::PersistentVolume volume;
  volume.meta.name = name;
  volume.source.source = source;
  volume.source.id = id;
  cluster.objects.persistent_volumes.Put(std::move(volume));
}

std::map<std::string, std::string> RejectedFor(cluster::Cluster& cluster, const PodBuilder& pod,
                                               std::optional<int32_t> max = 2,
                                               const InTreeVolumeKind& kind = kEbsVolumes) {
  return PluginTrial(cluster, pod).Filter(VolumeCountLimits(kind, max));
}

TEST(VolumeCountLimits, CountsEachVolumeOfItsKindOnce) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("n"));
  RunPod(cluster, PodBuilder("1").Node("n").AddVolume(Source::kAwsElasticBlockStore, "a"));
  RunPod(cluster, PodBuilder("2").Node("n").AddVolume(Source::kAwsElasticBlockStore, "a"));
  RunPod(cluster, PodBuilder("3").Node("n").AddVolume(Source::kGcePersistentDisk, "x"));
  PutVolume(cluster, "pv", Source::kAwsElasticBlockStore, "a");
  PutClaim(cluster, "claim", "pv");

  EXPECT_THAT(RejectedFor(cluster, PodBuilder("p").AddVolume(Source::kAwsElasticBlockStore, "b")), ElementsAre());
  EXPECT_THAT(RejectedFor(cluster, PodBuilder("p").Claim("claim").AddVolume(Source::kAwsElasticBlockStore, "b")),
              ElementsAre());
  EXPECT_THAT(
      RejectedFor(
          cluster,
          PodBuilder("p").AddVolume(Source::kAwsElasticBlockStore, "b").AddVolume(Source::kAwsElasticBlockStore, "c")),
      ElementsAre(Pair("n", kCountExceeded)));
}

TEST(VolumeCountLimits, FullNodesStillTakePodsWithoutSuchVolumes) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("n"));
  for (const char* id : {"a", "b", "c"}) {
    RunPod(cluster, PodBuilder(id).Node("n").AddVolume(Source::kAwsElasticBlockStore, id));
  }

  EXPECT_THAT(RejectedFor(cluster, PodBuilder("p").AddVolume(Source::kGcePersistentDisk, "x")), ElementsAre());
  EXPECT_THAT(RejectedFor(cluster, PodBuilder("p").AddVolume(Source::kAwsElasticBlockStore, "a")),
              ElementsAre(Pair("n", kCountExceeded)));
}

TEST(VolumeCountLimits, ClaimsWithoutVolumeCountByTheirStorageClass) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("n"));
  cluster.objects.storage_classes.Put(MakeClass("class", "kubernetes.io/aws-ebs"));
  cluster.objects.storage_classes.Put(MakeClass("other", "kubernetes.io/gce-pd"));
  PutClaim(cluster, "unbound", "");
  PutClaim(cluster, "lost", "no-such-volume");
  PutClaim(cluster, "foreign", "", "other");
  PutClaim(cluster, "classless", "", "no-such-class");
  PutVolume(cluster, "gce", Source::kGcePersistentDisk, "x");
  PutClaim(cluster, "bound-elsewhere", "gce");

  EXPECT_THAT(RejectedFor(cluster, PodBuilder("p").Claim("unbound").Claim("lost"), 1),
              ElementsAre(Pair("n", kCountExceeded)));
  EXPECT_THAT(RejectedFor(cluster,
                          PodBuilder("p")
                              .Claim("unbound")
                              .Claim("foreign")
                              .Claim("classless")
                              .Claim("bound-elsewhere")
                              .Claim("unknown"),
                          1),
              ElementsAre());
}

TEST(VolumeCountLimits, ClaimsWithoutNameAreErrors) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("n"));
  PluginTrial trial(cluster, PodBuilder("p").Claim(""));

  trial.Filter(VolumeCountLimits(kEbsVolumes, std::nullopt));

  EXPECT_EQ(trial.cycle().candidates().error().message(), "PersistentVolumeClaim had no name");
}

TEST(VolumeCountLimits, NodesThatUseTheCsiDriverAreLeftToItsLimits) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("n"));
  api::CsiNode csi_node;
  csi_node.meta.name = "n";
  csi_node.meta.annotations.Set(std::string(kMigratedPluginsAnnotation), "kubernetes.io/cinder,kubernetes.io/aws-ebs");
  cluster.objects.csi_nodes.Put(std::move(csi_node));

  EXPECT_THAT(RejectedFor(cluster, PodBuilder("p").AddVolume(Source::kCinder, "a"), 0, kCinderVolumes), ElementsAre());
  EXPECT_THAT(RejectedFor(cluster, PodBuilder("p").AddVolume(Source::kAwsElasticBlockStore, "a"), 0),
              ElementsAre(Pair("n", kCountExceeded)));
}

TEST(VolumeLimit, NodeThenEnvironmentThenCloud) {
  EXPECT_EQ(VolumeLimit(kEbsVolumes, NodeBuilder("n").Allocatable("attachable-volumes-aws-ebs", "7"), 3), 7);
  EXPECT_EQ(VolumeLimit(kEbsVolumes, NodeBuilder("n").Allocatable("attachable-volumes-gce-pd", "7"), 3), 3);
  EXPECT_EQ(VolumeLimit(kEbsVolumes, NodeBuilder("n"), std::nullopt), 39);
  EXPECT_EQ(VolumeLimit(kGcePdVolumes, NodeBuilder("n"), std::nullopt), 16);
  EXPECT_EQ(VolumeLimit(kAzureDiskVolumes, NodeBuilder("n"), std::nullopt), 16);
  EXPECT_EQ(VolumeLimit(kCinderVolumes, NodeBuilder("n"), std::nullopt), 256);
}

TEST(VolumeLimit, SomeInstanceTypesAttachFewerEbsVolumes) {
  const auto limit = [](const std::string& type, const std::string& label = "beta.kubernetes.io/instance-type") {
    return VolumeLimit(kEbsVolumes, NodeBuilder("n").Label(label, type), std::nullopt);
  };
  for (const char* type : {"c5.large", "m5", "r5d.metal", "t3.nano", "z1d.large", "xt3"}) EXPECT_EQ(limit(type), 25);
  for (const char* type : {"c4.large", "xm5", "5", "", "t2.nano"}) EXPECT_EQ(limit(type), 39) << type;
  EXPECT_EQ(limit("m5.large", "node.kubernetes.io/instance-type"), 25);
}

}  // namespace
}  // namespace berth::plugins::legacy
