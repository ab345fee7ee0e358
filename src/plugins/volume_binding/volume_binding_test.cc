// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/volume_binding.h"

#include <gtest/gtest.h>

#include "plugins/helpers/test_run.h"
#include "plugins/helpers/volume_objects.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using framework::StatusCode;
using BindingRun = TestRun<VolumeBinding>;

const std::string kPrefix = "UnschedulableAndUnresolvable: ";
const std::string kNoVolumeMatch = kPrefix + std::string(VolumeBinding::kNodeMismatch);
const std::string kNothing = kPrefix + std::string(VolumeBinding::kNoVolume);
const std::string kFull = kPrefix + std::string(VolumeBinding::kNoSpace);

std::unique_ptr<VolumeBinding> MakePlugin(bool scores = true) {
  std::optional<BrokenLinear> shape;
  if (scores) shape.emplace(std::vector<BrokenLinear::Point>{{0, 100}, {100, 0}});
  return std::make_unique<VolumeBinding>(Seconds(600), std::move(shape));
}

// Nodes n1 (zone z1) and n2 (zone z2), and a class of each sort.
struct BindingWorld {
  BindingWorld() {
    cluster.AddNode(NodeBuilder("n1").Zone("z1"));
    cluster.AddNode(NodeBuilder("n2").Zone("z2"));
    objects.storage_classes.Put(MakeClass("local", "kubernetes.io/no-provisioner"));
    objects.storage_classes.Put(MakeClass("dynamic", "csi.example.com"));
    objects.storage_classes.Put(MakeClass("immediate", "csi.example.com", "Immediate"));
  }
  void PutClaim(const api::PersistentVolumeClaim& claim) { objects.persistent_volume_claims.Put(claim); }
  void PutLocal(std::string name, std::string node, const char* size = "1Gi") {
    api::PersistentVolume volume = MakeVolume(std::move(name), "local", size);
    volume.node_affinity = NodesWith("kubernetes.io/hostname", {std::move(node)});
    objects.persistent_volumes.Put(volume);
  }
  void PutCapacity(std::string name, const std::string& node, const char* amount) {
    api::CsiStorageCapacity capacity;
    capacity.meta.ns = "default";
    capacity.meta.name = std::move(name);
    capacity.node_topology = cluster::MatchLabels({{"kubernetes.io/hostname", node}});
    capacity.storage_class_name = "dynamic";
    capacity.capacity = api::Quantity::Parse(amount).value();
    objects.csi_storage_capacities.Put(capacity);
  }
  void PublishCapacity() {
    api::CsiDriver driver;
    driver.meta.name = "csi.example.com";
    driver.storage_capacity = true;
    objects.csi_drivers.Put(driver);
  }
  Texts Rejections(const PodBuilder& pod) { return BindingRun(*plugin, cluster, pod).Rejections(); }
  std::string PreFilter(const PodBuilder& pod) {
    return BindingRun::Text(BindingRun(*plugin, cluster, pod).PreFilter());
  }

  cluster::Cluster cluster;
  cluster::Objects& objects = cluster.objects;
  std::unique_ptr<VolumeBinding> plugin = MakePlugin();
};

TEST(VolumeBinding, PodsWaitForClaimsThatAreNotInOrder) {
  BindingWorld world;
  const PodBuilder pod = PodBuilder("p").Claim("c");
  const PodBuilder ephemeral = PodBuilder("p").AddVolume(api::Volume::Source::kEphemeral, "");
  EXPECT_EQ(world.PreFilter(PodBuilder("p")), "Skip: ");
  EXPECT_EQ(world.PreFilter(PodBuilder("p").AddVolume(api::Volume::Source::kOther, "")), "Skip: ");
  EXPECT_EQ(world.PreFilter(pod), kPrefix + "persistentvolumeclaim \"c\" not found");
  EXPECT_EQ(world.PreFilter(ephemeral),
            kPrefix + "waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-volume-0\"");

  api::PersistentVolumeClaim claim = MakeBoundClaim("c", "gone");
  claim.phase = "Lost";
  world.PutClaim(claim);
  EXPECT_EQ(world.PreFilter(pod),
            kPrefix + "persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"gone\"");
  claim = MakeClaim("c", "local");
  claim.meta.deletion_timestamp = Time{1};
  world.PutClaim(claim);
  EXPECT_EQ(world.PreFilter(pod), kPrefix + "persistentvolumeclaim \"c\" is being deleted");
  world.PutClaim(MakeClaim("p-volume-0", "local"));
  EXPECT_EQ(world.PreFilter(ephemeral),
            kPrefix + "PVC default/p-volume-0 was not created for pod default/p (pod is not owner)");
}

TEST(VolumeBinding, UnboundClaimsThatDoNotWaitForAConsumerStopThePod) {
  BindingWorld world;
  const PodBuilder pod = PodBuilder("p").Claim("c");
  const std::string waiting = kPrefix + "pod has unbound immediate PersistentVolumeClaims";
  for (const std::string class_name : {"immediate", "unknown", ""}) {
    SCOPED_TRACE(class_name);
    world.PutClaim(MakeClaim("c", class_name));
    EXPECT_EQ(world.PreFilter(pod), waiting);
  }
  api::PersistentVolumeClaim prebound = MakeClaim("c", "local");
  prebound.volume_name = "pv";
  world.PutClaim(prebound);
  EXPECT_EQ(world.PreFilter(pod), waiting);

  api::StorageClass no_mode = MakeClass("no-mode", "p");
  no_mode.volume_binding_mode.reset();
  world.objects.storage_classes.Put(no_mode);
  world.PutClaim(MakeClaim("c", "no-mode"));
  EXPECT_EQ(world.PreFilter(pod), "Error: VolumeBindingMode not set for StorageClass \"no-mode\"");
}

TEST(VolumeBinding, BoundVolumesMustBeUsableFromTheNode) {
  BindingWorld world;
  world.PutClaim(MakeBoundClaim("c", "pv"));
  api::PersistentVolume volume = MakeVolume("pv", "standard");
  const PodBuilder pod = PodBuilder("p").Claim("c");
  EXPECT_EQ(world.Rejections(pod), (Texts{{"n1", kPrefix + std::string(VolumeBinding::kVolumeMissing)},
                                          {"n2", kPrefix + std::string(VolumeBinding::kVolumeMissing)}}));

  world.objects.persistent_volumes.Put(volume);
  EXPECT_EQ(world.Rejections(pod), Texts{});
  volume.node_affinity = NodesWith("topology.kubernetes.io/zone", {"z1"});
  world.objects.persistent_volumes.Put(volume);
  EXPECT_EQ(world.Rejections(pod), (Texts{{"n2", kNoVolumeMatch}}));
  volume.node_affinity = NodesWith("kubernetes.io/hostname", {"n2"});
  world.objects.persistent_volumes.Put(volume);
  EXPECT_EQ(world.Rejections(pod), (Texts{{"n1", kNoVolumeMatch}}));
}

TEST(VolumeBinding, MigratedVolumesAreMatchedByTheLabelOfTheirDriver) {
  BindingWorld world;
  world.cluster.AddNode(NodeBuilder("n3").Zone("z1").Label("topology.ebs.csi.aws.com/zone", "z1"));
  world.PutClaim(MakeBoundClaim("c", "pv"));
  api::PersistentVolume volume = MakeVolume("pv", "standard");
  volume.source.source = api::Volume::Source::kAwsElasticBlockStore;
  volume.source.id = "vol-1";
  volume.node_affinity = NodesWith("topology.kubernetes.io/zone", {"z1"});
  world.objects.persistent_volumes.Put(volume);
  for (const std::string name : {"n1", "n3"}) {
    api::CsiNode node = MakeCsiNode(name);
    node.meta.annotations.Set("storage.alpha.kubernetes.io/migrated-plugins", "kubernetes.io/aws-ebs");
    world.objects.csi_nodes.Put(node);
  }
  const PodBuilder pod = PodBuilder("p").Claim("c");

  EXPECT_EQ(world.Rejections(pod), (Texts{{"n1", kNoVolumeMatch}, {"n2", kNoVolumeMatch}}));
  volume.source.id = "aws://z/x";
  world.objects.persistent_volumes.Put(volume);
  EXPECT_EQ(world.Rejections(pod),
            (Texts{{"*",
                    "Error: could not translate pv: failed to translate Kubernetes ID to EBS Volume ID Invalid "
                    "format for AWS volume (aws://z/x)"}}));
}

TEST(VolumeBinding, SeveralReasonsAreListed) {
  BindingWorld world;
  world.PutClaim(MakeBoundClaim("bound", "pv"));
  api::PersistentVolume volume = MakeVolume("pv", "standard");
  volume.node_affinity = NodesWith("topology.kubernetes.io/zone", {"z1"});
  world.objects.persistent_volumes.Put(volume);
  world.PutClaim(MakeClaim("c", "local"));
  world.PutLocal("local-1", "n1");

  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("bound").Claim("c")),
            (Texts{{"n2", kNoVolumeMatch + ", " + std::string(VolumeBinding::kNoVolume)}}));
}

TEST(VolumeBinding, EachClaimNeedsAVolumeOfItsOwn) {
  BindingWorld world;
  world.PutClaim(MakeClaim("large", "local", "2Gi"));
  world.PutClaim(MakeClaim("small", "local", "1Gi"));
  world.PutLocal("a", "n1", "3Gi");
  world.PutLocal("b", "n1", "2Gi");
  world.PutLocal("c", "n2", "3Gi");
  const PodBuilder pod = PodBuilder("p").Claim("large").Claim("small");

  EXPECT_EQ(world.Rejections(pod), (Texts{{"n2", kNothing}}));
}

TEST(VolumeBinding, ProvisioningFollowsTopologyAndCapacity) {
  BindingWorld world;
  world.PutClaim(MakeClaim("c", "dynamic", "5Gi"));
  const PodBuilder pod = PodBuilder("p").Claim("c");
  EXPECT_EQ(world.Rejections(pod), Texts{});

  api::StorageClass zonal = MakeClass("dynamic", "csi.example.com");
  zonal.allowed_topologies = {{.requirements = {{"topology.kubernetes.io/zone", {"z2"}}}}, {}};
  world.objects.storage_classes.Put(zonal);
  EXPECT_EQ(world.Rejections(pod), (Texts{{"n1", kNothing}}));
  world.objects.storage_classes.Put(MakeClass("dynamic", "csi.example.com"));

  world.PublishCapacity();
  world.PutCapacity("cap-1", "n1", "4Gi");
  world.PutCapacity("cap-2", "n2", "8Gi");
  EXPECT_EQ(world.Rejections(pod), (Texts{{"n1", kFull}}));
}

TEST(VolumeBinding, ClaimWithASelectedNodeCanOnlyBeProvisionedThere) {
  BindingWorld world;
  api::PersistentVolumeClaim claim = MakeClaim("c", "dynamic");
  claim.meta.annotations.Set(std::string(kSelectedNodeAnnotation), "n2");
  world.PutClaim(claim);
  EXPECT_EQ(world.Rejections(PodBuilder("p").Claim("c")), (Texts{{"n1", kNothing}}));
}

TEST(VolumeBinding, ScoresPreferNodesWhereLessOfTheStorageIsUsedUp) {
  BindingWorld world;
  world.PutClaim(MakeClaim("c", "local", "1Gi"));
  world.PutLocal("a", "n1", "4Gi");
  world.PutLocal("b", "n2", "2Gi");
  BindingRun statically(*world.plugin, world.cluster, PodBuilder("p").Claim("c"));
  EXPECT_EQ(statically.Rejections(), Texts{});
  EXPECT_EQ(statically.RawScores(), (Numbers{{"n1", 75}, {"n2", 50}}));

  world.PublishCapacity();
  world.PutCapacity("cap-1", "n1", "10Gi");
  world.PutCapacity("cap-2", "n2", "100Gi");
  world.PutClaim(MakeClaim("d1", "dynamic", "5Gi"));
  world.PutClaim(MakeClaim("d2", "dynamic", "10Gi"));
  BindingRun dynamically(*world.plugin, world.cluster, PodBuilder("p").Claim("d1").Claim("d2"));
  EXPECT_EQ(dynamically.Rejections(), Texts{});
  EXPECT_EQ(dynamically.RawScores(), (Numbers{{"n1", 0}, {"n2", 85}}));

  BindingRun without(*world.plugin, world.cluster, PodBuilder("p"));
  EXPECT_TRUE(without.PreFilter().is_skip());
  EXPECT_EQ(without.RawScores(), (Numbers{{"n1", 0}, {"n2", 0}}));
  const auto gate_off = MakePlugin(false);
  EXPECT_TRUE(BindingRun(*gate_off, world.cluster, PodBuilder("p")).PreScore().is_skip());
}

TEST(VolumeBinding, ReservedVolumesAreNotGivenToOthersUntilTheyAreReleased) {
  BindingWorld world;
  world.PutClaim(MakeClaim("c1", "local"));
  world.PutClaim(MakeClaim("c2", "local"));
  world.PutLocal("a", "n1");
  BindingRun first(*world.plugin, world.cluster, PodBuilder("p1").Claim("c1"));
  ASSERT_EQ(first.Rejections(), (Texts{{"n2", kNothing}}));

  ASSERT_TRUE(world.plugin->Reserve(first.cycle(), first.Slot("n1")).ok());
  EXPECT_EQ(world.Rejections(PodBuilder("p2").Claim("c2")), (Texts{{"n1", kNothing}, {"n2", kNothing}}));
  framework::Effects effects;
  world.plugin->Unreserve(first.cycle(), first.Slot("n1"), effects);
  EXPECT_EQ(world.Rejections(PodBuilder("p2").Claim("c2")), (Texts{{"n2", kNothing}}));
}

TEST(VolumeBinding, BindingTakesTheVolumesTheAPIReports) {
  BindingWorld world;
  world.PutClaim(MakeClaim("c", "local"));
  world.PutClaim(MakeClaim("d", "dynamic"));
  world.PutLocal("a", "n1");
  BindingRun run(*world.plugin, world.cluster, PodBuilder("p").Claim("c").Claim("d"));
  ASSERT_EQ(run.Rejections(), (Texts{{"n2", kNothing}}));
  const cluster::NodeSlot n1 = run.Slot("n1");
  EXPECT_EQ(world.plugin->PreBindPreFlight(run.cycle(), n1).message(), "no pod volume found for node \"n1\"");
  ASSERT_TRUE(world.plugin->Reserve(run.cycle(), n1).ok());
  EXPECT_TRUE(world.plugin->PreBindPreFlight(run.cycle(), n1).ok());

  framework::Effects effects;
  EXPECT_EQ(world.plugin->PreBind(run.cycle(), n1, Time{0}, effects).code, StatusCode::kWait);
  ASSERT_EQ(effects.size(), 2u);
  api::PersistentVolume volume = std::get<framework::UpdatePersistentVolume>(effects[0]).volume;
  EXPECT_EQ(volume.meta.name, "a");
  EXPECT_EQ(volume.claim_ref->name, "c");
  EXPECT_EQ(volume.claim_ref->uid, "uid-c");
  EXPECT_EQ(volume.claim_ref->resource_version, "1");
  EXPECT_EQ(volume.meta.annotations.Get(kBoundByControllerAnnotation), "yes");
  api::PersistentVolumeClaim provisioned = std::get<framework::UpdatePersistentVolumeClaim>(effects[1]).claim;
  EXPECT_EQ(provisioned.meta.annotations.Get(kSelectedNodeAnnotation), "n1");
  EXPECT_EQ(world.plugin->PreBind(run.cycle(), n1, Time{1}, effects).code, StatusCode::kWait);
  EXPECT_EQ(effects.size(), 2u);

  volume.meta.resource_version = "2";
  world.objects.persistent_volumes.Put(volume);
  world.PutClaim(MakeBoundClaim("c", "a"));
  provisioned.meta.resource_version = "2";
  provisioned.volume_name = "new";
  world.PutClaim(provisioned);
  EXPECT_EQ(world.plugin->PreBind(run.cycle(), n1, Time{2}, effects).code, StatusCode::kWait);
  world.objects.persistent_volumes.Put(MakeVolume("new", "dynamic"));
  provisioned.meta.annotations.Set(std::string(kBindCompletedAnnotation), "yes");
  world.PutClaim(provisioned);
  EXPECT_TRUE(world.plugin->PreBind(run.cycle(), n1, Time{3}, effects).ok());
}

TEST(VolumeBinding, BindingIsSkippedWhenEverythingIsBound) {
  BindingWorld world;
  world.PutClaim(MakeBoundClaim("c", "pv"));
  world.objects.persistent_volumes.Put(MakeVolume("pv", "standard"));
  BindingRun run(*world.plugin, world.cluster, PodBuilder("p").Claim("c"));
  ASSERT_EQ(run.Rejections(), Texts{});
  ASSERT_TRUE(world.plugin->Reserve(run.cycle(), run.Slot("n1")).ok());
  EXPECT_TRUE(world.plugin->PreBindPreFlight(run.cycle(), run.Slot("n1")).is_skip());
}

// A pod whose binding of claim c (static, volume a) or d (provisioned) is under way on n1.
struct Underway : BindingWorld {
  explicit Underway(const std::string& claim) : run(*plugin, cluster, PodBuilder("p").Claim(claim)) {
    PutClaim(MakeClaim("c", "local"));
    PutClaim(MakeClaim("d", "dynamic"));
    PutLocal("a", "n1");
    run.Rejections();
    EXPECT_TRUE(plugin->Reserve(run.cycle(), run.Slot("n1")).ok());
    EXPECT_EQ(Continue(Time{0}).code, StatusCode::kWait);
  }
  framework::Status Continue(Time now = Time{1}) {
    framework::Effects effects;
    return plugin->PreBind(run.cycle(), run.Slot("n1"), now, effects);
  }
  std::string Message() { return BindingRun::Text(Continue()); }

  BindingRun run;
};

TEST(VolumeBinding, BindingFailsWithTheReason) {
  const std::string prefix = "Error: binding volumes: ";
  Underway late("c");
  EXPECT_EQ(late.Continue(Time{0} + Seconds(599)).code, StatusCode::kWait);
  EXPECT_EQ(BindingRun::Text(late.Continue(Time{0} + Seconds(600))), prefix + "context deadline exceeded");

  Underway reset("c");
  api::PersistentVolume volume = MakeVolume("a", "local");
  volume.meta.resource_version = "2";
  reset.objects.persistent_volumes.Put(volume);
  EXPECT_EQ(reset.Message(), prefix + "ClaimRef got reset for pv \"a\"");
  volume.node_affinity = NodesWith("kubernetes.io/hostname", {"n2"});
  reset.objects.persistent_volumes.Put(volume);
  EXPECT_EQ(reset.Message(),
            prefix + "pv \"a\" node affinity doesn't match node \"n1\": no matching NodeSelectorTerms");
  reset.objects.persistent_volumes.Erase("", "a");
  EXPECT_EQ(reset.Message(), prefix + "failed to check binding: persistentvolumes \"a\" not found");

  Underway given_up("d");
  api::PersistentVolumeClaim claim = MakeClaim("d", "dynamic");
  claim.meta.resource_version = "2";
  given_up.PutClaim(claim);
  EXPECT_EQ(given_up.Message(), prefix + "selectedNode annotation reset for PVC \"d\"");
  claim.meta.annotations.Set("other", "x");
  given_up.PutClaim(claim);
  EXPECT_EQ(given_up.Message(), prefix + "provisioning failed for PVC \"d\"");
  given_up.objects.persistent_volume_claims.Erase("default", "d");
  EXPECT_EQ(given_up.Message(),
            prefix + "failed to check provisioning pvc: persistentvolumeclaims \"default/d\" not found");

  Underway gone("d");
  ASSERT_TRUE(gone.cluster.RemoveNode(NodeBuilder("n1").Zone("z1")));
  EXPECT_EQ(gone.Message(), prefix + "failed to get node \"n1\": node \"n1\" not found");
}

}  // namespace
}  // namespace berth::plugins
