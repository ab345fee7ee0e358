// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/csi_migration.h"

#include <gtest/gtest.h>

#include "plugins/helpers/volume_objects.h"
#include "plugins/helpers/zone_labels.h"

namespace berth::plugins {
namespace {

using Source = api::Volume::Source;

std::string HandleOf(Source source, std::string id, std::string pool = "", std::string kind = "") {
  api::Volume volume;
  volume.source = source;
  volume.id = std::move(id);
  volume.pool = std::move(pool);
  volume.disk_kind = std::move(kind);
  const Result<std::string> handle = InlineVolumeHandle(volume);
  return handle ? *handle : "error: " + handle.error().message;
}

TEST(CsiMigration, InlineVolumesGetTheHandleOfTheirDriver) {
  EXPECT_EQ(HandleOf(Source::kAwsElasticBlockStore, "vol-1"), "vol-1");
  EXPECT_EQ(HandleOf(Source::kAwsElasticBlockStore, "aws://us-east-1a/vol-1"), "vol-1");
  EXPECT_EQ(HandleOf(Source::kAwsElasticBlockStore, "aws:///vol-1"), "vol-1");
  EXPECT_EQ(HandleOf(Source::kAwsElasticBlockStore, "aws://us-east-1a/disk"),
            "error: failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume "
            "(aws://us-east-1a/disk)");
  EXPECT_EQ(HandleOf(Source::kGcePersistentDisk, "d"), "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d");
  EXPECT_EQ(HandleOf(Source::kAzureDisk, "d", "/uri", "Managed"), "/uri");
  EXPECT_EQ(HandleOf(Source::kAzureDisk, "d", "/uri", "Shared"),
            "error: kind(Shared) is not supported in csi migration");
  EXPECT_EQ(HandleOf(Source::kCinder, "c"), "c");
  EXPECT_EQ(HandleOf(Source::kPortworx, "p"), "p");
}

TEST(CsiMigration, NamesAreFoundByKindAndByProvisioner) {
  EXPECT_EQ(FindMigration(Source::kCinder)->csi_driver, "cinder.csi.openstack.org");
  EXPECT_EQ(FindMigration("kubernetes.io/portworx-volume")->csi_driver, "pxd.portworx.com");
  EXPECT_FALSE(FindMigration(Source::kVsphere)->is_on);
  EXPECT_FALSE(FindMigration("kubernetes.io/azure-file")->is_on);
  EXPECT_EQ(FindMigration(Source::kCsi), nullptr);
  EXPECT_EQ(FindMigration("csi.example.com"), nullptr);
}

TEST(CsiMigration, GceHandlesNameTheZoneOrTheRegionOfTheVolume) {
  struct Case {
    std::string label;
    std::string zones;
    std::string handle;
  };
  const std::vector<Case> cases = {
      {"topology.kubernetes.io/zone", "us-central1-a", "projects/UNSPECIFIED/zones/us-central1-a/disks/d"},
      {"failure-domain.beta.kubernetes.io/zone", "us-central1-a__us-central1-b",
       "projects/UNSPECIFIED/regions/us-central1/disks/d"},
      {"other", "x", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"},
      {"topology.kubernetes.io/zone", "a__b",
       "failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: a"},
      {"topology.kubernetes.io/zone", "us-east1-a__us-central1-b",
       "failed to get region from zones: multiple or no regions gotten from zones, got: map[us-central1:{} "
       "us-east1:{}]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.zones);
    api::PersistentVolume volume = MakeVolume("pv", "");
    volume.source.source = Source::kGcePersistentDisk;
    volume.source.id = "d";
    volume.meta.labels.Set(c.label, c.zones);
    const Result<CsiVolume> translated = TranslateToCsi(volume);
    EXPECT_EQ(translated ? translated->handle : translated.error().message, c.handle);
  }
}

TEST(CsiMigration, ZoneRequirementsAreMadeOnTheLabelOfTheDriver) {
  api::PersistentVolume volume = MakeVolume("pv", "");
  volume.source.source = Source::kAwsElasticBlockStore;
  volume.source.id = "vol-1";

  volume.node_affinity = NodesWith(std::string(kZoneLabel), {"z1"});
  EXPECT_EQ(TranslateToCsi(volume)->node_affinity, NodesWith("topology.ebs.csi.aws.com/zone", {"z1"}));

  volume.node_affinity.reset();
  volume.meta.labels.Set(std::string(kBetaZoneLabel), "z2__z1");
  EXPECT_EQ(TranslateToCsi(volume)->node_affinity, NodesWith("topology.ebs.csi.aws.com/zone", {"z1", "z2"}));

  volume.node_affinity = NodesWith(std::string(kBetaRegionLabel), {"r"});
  api::NodeSelector both = NodesWith(std::string(kRegionLabel), {"r"});
  both.terms[0].match_expressions.push_back({"topology.ebs.csi.aws.com/zone", "In", {"z1", "z2"}});
  EXPECT_EQ(TranslateToCsi(volume)->node_affinity, both);
}

TEST(CsiMigration, NodesListTheKindsTheyHaveMigrated) {
  const MigratedPlugin& plugin = *FindMigration(Source::kCinder);
  api::CsiNode node = MakeCsiNode("n");
  EXPECT_FALSE(IsMigratedOnNode(plugin, nullptr));
  EXPECT_FALSE(IsMigratedOnNode(plugin, &node));
  node.meta.annotations.Set("storage.alpha.kubernetes.io/migrated-plugins",
                            "kubernetes.io/aws-ebs,kubernetes.io/cinder");
  EXPECT_TRUE(IsMigratedOnNode(plugin, &node));
  EXPECT_FALSE(IsMigratedOnNode(*FindMigration(Source::kGcePersistentDisk), &node));
}

}  // namespace
}  // namespace berth::plugins
