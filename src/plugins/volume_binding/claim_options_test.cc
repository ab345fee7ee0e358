// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/claim_options.h"

#include <functional>

#include <gtest/gtest.h>

#include "plugins/helpers/volume_objects.h"

namespace berth::plugins {
namespace {

std::string Chosen(const api::PersistentVolumeClaim& claim, const std::vector<api::PersistentVolume>& volumes,
                   const api::Labels& node = {{"zone", "z1"}}) {
  cluster::Objects objects;
  for (const api::PersistentVolume& volume : volumes) objects.persistent_volumes.Put(volume);
  const cluster::AssumedVolumes assumed(objects);
  const ClaimOptions options(claim, assumed.volumes);
  const api::PersistentVolume* chosen = options.Choose(node, {});
  return chosen == nullptr ? "" : chosen->meta.name;
}

api::PersistentVolume ReservedFor(api::PersistentVolume volume, std::string name, std::string uid) {
  volume.claim_ref.emplace();
  volume.claim_ref->ns = "default";
  volume.claim_ref->name = std::move(name);
  volume.claim_ref->uid = std::move(uid);
  return volume;
}

TEST(ClaimOptions, SmallestVolumeThatIsLargeEnoughWins) {
  const api::PersistentVolumeClaim claim = MakeClaim("c", "local", "2Gi");
  EXPECT_EQ(Chosen(claim, {MakeVolume("a", "local", "1Gi"), MakeVolume("b", "local", "9Gi"),
                           MakeVolume("d", "local", "2Gi"), MakeVolume("c", "local", "2048Mi")}),
            "c");
  EXPECT_EQ(Chosen(claim, {MakeVolume("a", "local", "1Gi")}), "");
}

TEST(ClaimOptions, VolumeMustMatchTheClaim) {
  struct Case {
    std::string what;
    std::function<void(api::PersistentVolume&)> change;
  };
  const std::vector<Case> cases = {
      {"class", [](auto& volume) { volume.storage_class_name = "other"; }},
      {"class annotation",
       [](auto& volume) { volume.meta.annotations.Set(std::string(kStorageClassAnnotation), "x"); }},
      {"mode", [](auto& volume) { volume.volume_mode = "Block"; }},
      {"attributes class", [](auto& volume) { volume.volume_attributes_class_name = "gold"; }},
      {"deletion", [](auto& volume) { volume.meta.deletion_timestamp = Time{1}; }},
      {"phase", [](auto& volume) { volume.phase = "Released"; }},
      {"labels", [](auto& volume) { volume.meta.labels = {{"kind", "slow"}}; }},
      {"access modes", [](auto& volume) { volume.access_modes = {"ReadOnlyMany"}; }},
      {"node affinity", [](auto& volume) { volume.node_affinity = NodesWith("zone", {"z2"}); }},
      {"no term", [](auto& volume) { volume.node_affinity.emplace(); }},
      {"other claim", [](auto& volume) { volume = ReservedFor(volume, "other", ""); }},
      {"earlier claim of that name", [](auto& volume) { volume = ReservedFor(volume, "c", "old"); }},
  };
  api::PersistentVolumeClaim claim = MakeClaim("c", "local");
  claim.selector = cluster::MatchLabels({{"kind", "fast"}});
  api::PersistentVolume good = MakeVolume("pv", "local");
  good.meta.labels = {{"kind", "fast"}};
  good.volume_mode = "Filesystem";
  good.volume_attributes_class_name = "";
  good.node_affinity = NodesWith("zone", {"z1", "z3"});
  ASSERT_EQ(Chosen(claim, {good}), "pv");

  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    api::PersistentVolume volume = good;
    c.change(volume);
    EXPECT_EQ(Chosen(claim, {volume}), "");
  }
}

TEST(ClaimOptions, ReservedVolumeWinsOutrightAndDecidesAboutTheNode) {
  const api::PersistentVolumeClaim claim = MakeClaim("c", "local");
  api::PersistentVolume reserved = ReservedFor(MakeVolume("z", "local", "5Gi"), "c", "");
  reserved.phase = "Bound";
  reserved.access_modes = {};
  const api::PersistentVolume free = MakeVolume("a", "local");

  EXPECT_EQ(Chosen(claim, {free, reserved}), "z");
  reserved.node_affinity = NodesWith("zone", {"z2"});
  EXPECT_EQ(Chosen(claim, {free, reserved}), "");
  reserved.capacity = cluster::Amounts({{"storage", "1Mi"}});
  EXPECT_EQ(Chosen(claim, {free, reserved}), "a");
}

TEST(ClaimOptions, TakenVolumesAreNotChosenAgain) {
  cluster::Objects objects;
  objects.persistent_volumes.Put(MakeVolume("a", "local"));
  objects.persistent_volumes.Put(MakeVolume("b", "local"));
  const cluster::AssumedVolumes assumed(objects);
  const ClaimOptions options(MakeClaim("c", "local"), assumed.volumes);

  const std::vector<const api::PersistentVolume*> taken = {options.Choose({}, {})};

  EXPECT_EQ(taken.front()->meta.name, "a");
  EXPECT_EQ(options.Choose({}, taken)->meta.name, "b");
}

TEST(ClaimOptions, InvalidSelectorIsReported) {
  api::PersistentVolumeClaim claim = MakeClaim("c", "local");
  claim.selector.emplace().match_expressions.push_back({"k", "Near", {}});
  const cluster::Objects objects;
  const cluster::AssumedVolumes assumed(objects);
  EXPECT_TRUE(ClaimOptions(claim, assumed.volumes)
                  .error()
                  .starts_with("error creating internal label selector for claim: default/c: "));
}

}  // namespace
}  // namespace berth::plugins
