// SPDX-License-Identifier: Apache-2.0
// The predicates of v1.16 that look at volumes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"
#include "plugins/helpers/volume_objects.h"
#include "plugins/helpers/zone_labels.h"
#include "plugins/legacy/v116/basic_checks.h"
#include "plugins/legacy/v116/volume_counts.h"
#include "plugins/legacy/v116/volume_places.h"

namespace berth::plugins::legacy::v116 {
namespace {

using api::Volume;
using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string ErrorOf(PluginTrial& trial) { return trial.cycle().candidates().error().message(); }

TEST(VolumesV116, ClaimsMustBeThereToStay) {
  cluster::Cluster cluster;
  api::PersistentVolumeClaim going = MakeClaim("going", "standard");
  going.meta.deletion_timestamp = Time{1};
  cluster.objects.persistent_volume_claims.Put(going);

  PluginTrial missing(cluster, PodBuilder("p").Claim("other"));
  EXPECT_EQ(BasicChecks().PreFilter(missing.cycle()).status.message(), "persistentvolumeclaim \"other\" not found");
  PluginTrial deleted(cluster, PodBuilder("p").Claim("going"));
  EXPECT_EQ(BasicChecks().PreFilter(deleted.cycle()).status.message(),
            "persistentvolumeclaim \"going\" is being deleted");
}

TEST(VolumesV116, DisksAreNotSharedUnlessAllRead) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a"));
  ASSERT_TRUE(
      cluster
          .AddPod(cluster.MakePod(PodBuilder("old").Node("a").AddVolume(Volume::Source::kGcePersistentDisk, "d", true)))
          .has_value());
  const NoDiskConflict plugin("NoDiskConflict");

  PluginTrial writer(cluster, PodBuilder("p").AddVolume(Volume::Source::kGcePersistentDisk, "d"));
  EXPECT_THAT(writer.Filter(plugin), ElementsAre(Pair("a", "Unschedulable: node(s) had no available disk")));
  PluginTrial reader(cluster, PodBuilder("p").AddVolume(Volume::Source::kGcePersistentDisk, "d", true));
  EXPECT_THAT(reader.Filter(plugin), IsEmpty());
}

TEST(VolumesV116, CsiLimitsComeFromTheNodeOrItsCsiNode) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Allocatable("attachable-volumes-csi-drv", "0"));
  cluster.AddNode(NodeBuilder("b").Allocatable("attachable-volumes-csi-drv", "0"));
  cluster.AddNode(NodeBuilder("c"));
  api::CsiNode drivers;
  drivers.meta.name = "b";
  drivers.drivers.push_back({.name = "drv", .node_id = "b", .topology_keys = {}, .allocatable_count = 1});
  cluster.objects.csi_nodes.Put(drivers);
  cluster.objects.storage_classes.Put(MakeClass("slow", "drv"));
  cluster.objects.persistent_volume_claims.Put(MakeClaim("c", "slow"));

  PluginTrial trial(cluster, PodBuilder("p").Claim("c"));

  EXPECT_THAT(trial.Filter(MaxCsiVolumeCount("MaxCSIVolumeCountPred")),
              ElementsAre(Pair("a", "Unschedulable: node(s) exceed max volume count")));
}

TEST(VolumesV116, BoundVolumesKeepThePodOnTheirNodes) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Label("disk", "ssd"));
  cluster.AddNode(NodeBuilder("b"));
  api::PersistentVolume volume = MakeVolume("v", "standard");
  volume.node_affinity = NodesWith("disk", {"ssd"});
  cluster.objects.persistent_volumes.Put(volume);
  cluster.objects.persistent_volume_claims.Put(MakeBoundClaim("c", "v"));
  const CheckVolumeBinding plugin(Seconds(1));

  PluginTrial trial(cluster, PodBuilder("p").Claim("c"));
  EXPECT_TRUE(plugin.PreFilter(trial.cycle()).status.ok());

  EXPECT_THAT(trial.Filter(plugin), ElementsAre(Pair("b",
                                                     "UnschedulableAndUnresolvable: node(s) had volume node affinity "
                                                     "conflict")));
}

TEST(VolumesV116, ClaimsOutOfOrderFailTheAttemptOnEveryNode) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a"));
  cluster.AddNode(NodeBuilder("b"));
  cluster.objects.storage_classes.Put(MakeClass("now", "drv", "Immediate"));
  cluster.objects.persistent_volume_claims.Put(MakeClaim("unbound", "now"));
  cluster.objects.persistent_volume_claims.Put(MakeBoundClaim("lost", "gone"));
  const CheckVolumeBinding plugin(Seconds(1));

  PluginTrial unbound(cluster, PodBuilder("p").Claim("unbound"));
  EXPECT_TRUE(plugin.PreFilter(unbound.cycle()).status.ok());
  EXPECT_THAT(unbound.Filter(plugin), IsEmpty());
  EXPECT_EQ(ErrorOf(unbound), "pod has unbound immediate PersistentVolumeClaims (repeated 2 times)");

  PluginTrial lost(cluster, PodBuilder("p").Claim("lost"));
  EXPECT_TRUE(plugin.PreFilter(lost.cycle()).status.ok());
  EXPECT_THAT(lost.Filter(plugin), IsEmpty());
  EXPECT_EQ(ErrorOf(lost), "could not find v1.PersistentVolume \"gone\" (repeated 2 times)");
}

TEST(VolumesV116, ZonesAreToldByTheOldLabels) {
  cluster::Cluster cluster;
  const std::string zone(kBetaZoneLabel);
  cluster.AddNode(NodeBuilder("a").Label(zone, "1"));
  cluster.AddNode(NodeBuilder("b").Label(zone, "3"));
  cluster.AddNode(NodeBuilder("c").Zone("3"));
  api::PersistentVolume volume = MakeVolume("v", "standard");
  volume.meta.labels = {{zone, "1__2"}};
  cluster.objects.persistent_volumes.Put(volume);
  cluster.objects.persistent_volume_claims.Put(MakeBoundClaim("c", "v"));
  cluster.objects.persistent_volume_claims.Put(MakeClaim("unbound", "none"));
  const NoVolumeZoneConflict plugin("NoVolumeZoneConflict");

  PluginTrial trial(cluster, PodBuilder("p").Claim("c"));
  EXPECT_THAT(trial.Filter(plugin),
              ElementsAre(Pair("b", "UnschedulableAndUnresolvable: node(s) had no available volume zone")));

  PluginTrial unbound(cluster, PodBuilder("p").Claim("c").Claim("unbound"));
  EXPECT_EQ(unbound.Filter(plugin).size(), 1);
  EXPECT_EQ(ErrorOf(unbound), "PersistentVolumeClaim was not found: \"unbound\"");
}

}  // namespace
}  // namespace berth::plugins::legacy::v116
