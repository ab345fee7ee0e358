// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_restrictions/volume_restrictions.h"

#include <gtest/gtest.h>

#include "plugins/helpers/test_run.h"
#include "plugins/helpers/volume_objects.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using Source = api::Volume::Source;
using RestrictionsRun = TestRun<VolumeRestrictions>;

api::Volume Disk(Source source, std::string id, bool read_only = false, std::vector<std::string> monitors = {}) {
  api::Volume volume;
  volume.source = source;
  volume.id = std::move(id);
  volume.read_only = read_only;
  volume.monitors = std::move(monitors);
  return volume;
}

TEST(VolumeRestrictions, DisksConflictByTheRulesOfTheirKind) {
  EXPECT_TRUE(DisksConflict(Disk(Source::kGcePersistentDisk, "a"), Disk(Source::kGcePersistentDisk, "a", true)));
  EXPECT_FALSE(DisksConflict(Disk(Source::kGcePersistentDisk, "a", true), Disk(Source::kGcePersistentDisk, "a", true)));
  EXPECT_FALSE(DisksConflict(Disk(Source::kGcePersistentDisk, "a"), Disk(Source::kGcePersistentDisk, "b")));
  EXPECT_FALSE(DisksConflict(Disk(Source::kGcePersistentDisk, "a"), Disk(Source::kIscsi, "a")));
  EXPECT_TRUE(
      DisksConflict(Disk(Source::kAwsElasticBlockStore, "a", true), Disk(Source::kAwsElasticBlockStore, "a", true)));
  EXPECT_TRUE(DisksConflict(Disk(Source::kIscsi, "a", true), Disk(Source::kIscsi, "a")));
  EXPECT_FALSE(DisksConflict(Disk(Source::kIscsi, "a", true), Disk(Source::kIscsi, "a", true)));
  EXPECT_TRUE(DisksConflict(Disk(Source::kRbd, "a", false, {"m1", "m2"}), Disk(Source::kRbd, "a", true, {"m2", "m3"})));
  EXPECT_FALSE(DisksConflict(Disk(Source::kRbd, "a", false, {"m1"}), Disk(Source::kRbd, "a", true, {"m2"})));
  EXPECT_FALSE(DisksConflict(Disk(Source::kRbd, "a", true, {"m1"}), Disk(Source::kRbd, "a", true, {"m1"})));
  EXPECT_FALSE(DisksConflict(Disk(Source::kPersistentVolumeClaim, "a"), Disk(Source::kPersistentVolumeClaim, "a")));
}

TEST(VolumeRestrictions, NodesWhoseDiskIsInUseAreRejected) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("n1"));
  cluster.AddNode(NodeBuilder("n2"));
  ASSERT_TRUE(cluster.AddPod(
      cluster.MakePod(PodBuilder("there").Node("n1").AddVolume(Source::kAwsElasticBlockStore, "vol-1"))));
  const VolumeRestrictions plugin;

  RestrictionsRun run(plugin, cluster, PodBuilder("p").AddVolume(Source::kAwsElasticBlockStore, "vol-1"));

  EXPECT_EQ(run.Rejections(), (Texts{{"n1", "Unschedulable: node(s) had no available disk"}}));
  EXPECT_TRUE(RestrictionsRun(plugin, cluster, PodBuilder("q").AddVolume(Source::kOther, "")).PreFilter().is_skip());
}

TEST(VolumeRestrictions, ExclusiveClaimInUseRejectsAllNodesUntilItsUserIsRemoved) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("n1"));
  cluster.AddNode(NodeBuilder("n2"));
  api::PersistentVolumeClaim claim = MakeBoundClaim("c", "pv");
  claim.access_modes = {"ReadWriteOncePod"};
  cluster.objects.persistent_volume_claims.Put(claim);
  const cluster::PodPtr user = cluster.MakePod(PodBuilder("user").Node("n1").Claim("c"));
  const VolumeRestrictions plugin;
  EXPECT_TRUE(RestrictionsRun(plugin, cluster, PodBuilder("p").Claim("c")).PreFilter().is_skip());
  ASSERT_TRUE(cluster.AddPod(user));

  RestrictionsRun run(plugin, cluster, PodBuilder("p").Claim("c"));
  const std::string in_use = "Unschedulable: " + std::string(VolumeRestrictions::kClaimInUse);

  EXPECT_EQ(run.Rejections(), (Texts{{"n1", in_use}, {"n2", in_use}}));
  ASSERT_TRUE(plugin.RemovePod(run.cycle(), *user, run.Slot("n1")).ok());
  EXPECT_EQ(run.Filter(), Texts{});
  ASSERT_TRUE(plugin.AddPod(run.cycle(), *user, run.Slot("n1")).ok());
  EXPECT_EQ(run.Filter(), (Texts{{"n1", in_use}, {"n2", in_use}}));
}

TEST(VolumeRestrictions, PodWithUnknownClaimIsRejected) {
  cluster::Cluster cluster;
  const VolumeRestrictions plugin;
  RestrictionsRun run(plugin, cluster, PodBuilder("p").Claim("c"));
  EXPECT_EQ(RestrictionsRun::Text(run.PreFilter()),
            "UnschedulableAndUnresolvable: persistentvolumeclaim \"c\" not found");
}

}  // namespace
}  // namespace berth::plugins
