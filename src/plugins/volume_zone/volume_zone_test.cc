// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_zone/volume_zone.h"

#include <gtest/gtest.h>

#include "plugins/helpers/test_run.h"
#include "plugins/helpers/volume_objects.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

const std::string kRejected = "UnschedulableAndUnresolvable: " + std::string(VolumeZone::kConflict);

struct ZoneWorld {
  ZoneWorld() {
    cluster.AddNode(NodeBuilder("bare"));
    cluster.AddNode(NodeBuilder("beta").Label("failure-domain.beta.kubernetes.io/zone", "z1"));
    cluster.AddNode(NodeBuilder("z1").Zone("z1").Region("r1"));
    cluster.AddNode(NodeBuilder("z2").Zone("z2").Region("r1"));
    cluster.AddNode(NodeBuilder("z3").Zone("z3").Region("r2"));
    cluster.objects.persistent_volume_claims.Put(MakeBoundClaim("c", "pv"));
  }
  void PutVolume(api::Labels labels) {
    api::PersistentVolume volume = MakeVolume("pv", "standard");
    volume.meta.labels = std::move(labels);
    cluster.objects.persistent_volumes.Put(volume);
  }
  Texts Rejections() { return TestRun<VolumeZone>(plugin, cluster, PodBuilder("p").Claim("c")).Rejections(); }
  std::string PreFilter() {
    TestRun<VolumeZone> run(plugin, cluster, PodBuilder("p").Claim("c"));
    return TestRun<VolumeZone>::Text(run.PreFilter());
  }

  cluster::Cluster cluster;
  VolumeZone plugin;
};

TEST(VolumeZone, NodesMustBeInTheZonesOfTheVolume) {
  ZoneWorld world;

  world.PutVolume({{"topology.kubernetes.io/zone", "z1"}});
  EXPECT_EQ(world.Rejections(), (Texts{{"beta", kRejected}, {"z2", kRejected}, {"z3", kRejected}}));
  world.PutVolume({{"failure-domain.beta.kubernetes.io/zone", "z1__ z2 "}});
  EXPECT_EQ(world.Rejections(), (Texts{{"z3", kRejected}}));
  world.PutVolume({{"topology.kubernetes.io/zone", "z1__z3"}, {"topology.kubernetes.io/region", "r2"}});
  EXPECT_EQ(world.Rejections(), (Texts{{"beta", kRejected}, {"z1", kRejected}, {"z2", kRejected}}));
}

TEST(VolumeZone, PodsWithoutZonalVolumesAreNotLookedAt) {
  ZoneWorld world;
  world.PutVolume({{"other", "z1"}});
  EXPECT_EQ(world.PreFilter(), "Skip: ");
  world.PutVolume({{"topology.kubernetes.io/zone", "z1____z2"}});
  EXPECT_EQ(world.PreFilter(), "Skip: ");
  EXPECT_TRUE(TestRun<VolumeZone>(world.plugin, world.cluster, PodBuilder("p")).PreFilter().is_skip());
}

TEST(VolumeZone, PodsWaitForWhatTheyReferTo) {
  ZoneWorld world;
  const std::string prefix = "UnschedulableAndUnresolvable: ";
  EXPECT_EQ(world.PreFilter(), prefix + "persistentvolume \"pv\" not found");

  auto& claims = world.cluster.objects.persistent_volume_claims;
  claims.Put(MakeClaim("c", ""));
  EXPECT_EQ(world.PreFilter(), prefix + "PersistentVolumeClaim had no pv name and storageClass name");
  claims.Put(MakeClaim("c", "sc"));
  EXPECT_EQ(world.PreFilter(), prefix + "storageclass.storage.k8s.io \"sc\" not found");
  api::StorageClass storage_class = MakeClass("sc", "p", "Immediate");
  world.cluster.objects.storage_classes.Put(storage_class);
  EXPECT_EQ(world.PreFilter(), prefix + "PersistentVolume had no name");
  storage_class.volume_binding_mode = "WaitForFirstConsumer";
  world.cluster.objects.storage_classes.Put(storage_class);
  EXPECT_EQ(world.PreFilter(), "Skip: ");
  storage_class.volume_binding_mode.reset();
  world.cluster.objects.storage_classes.Put(storage_class);
  EXPECT_EQ(world.PreFilter(), prefix + "VolumeBindingMode not set for StorageClass \"sc\"");
  claims.Erase("default", "c");
  EXPECT_EQ(world.PreFilter(), prefix + "persistentvolumeclaim \"c\" not found");
  EXPECT_EQ(TestRun<VolumeZone>(world.plugin, world.cluster, PodBuilder("p").Claim("")).PreFilter().message(),
            "PersistentVolumeClaim had no name");
}

}  // namespace
}  // namespace berth::plugins
