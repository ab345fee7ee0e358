// SPDX-License-Identifier: Apache-2.0
#include "cluster/assumed_volumes.h"

#include <gtest/gtest.h>

namespace berth::cluster {
namespace {

api::PersistentVolume Volume(std::string version, std::string phase) {
  api::PersistentVolume volume;
  volume.meta.name = "pv";
  volume.meta.resource_version = std::move(version);
  volume.phase = std::move(phase);
  return volume;
}

TEST(AssumedVolumes, AssumedVersionStandsInForTheStoredOne) {
  Objects objects;
  AssumedVolumes assumed(objects);
  objects.persistent_volumes.Put(Volume("1", "Available"));

  ASSERT_TRUE(assumed.volumes.Assume(Volume("1", "Assumed")));

  EXPECT_EQ(assumed.volumes.Get("", "pv")->phase, "Assumed");
  EXPECT_EQ((*assumed.volumes.GetStored("", "pv"))->phase, "Available");
  std::vector<std::string> seen;
  assumed.volumes.ForEach([&](const auto& volume) { seen.push_back(volume->phase); });
  EXPECT_EQ(seen, std::vector<std::string>{"Assumed"});
}

TEST(AssumedVolumes, AnotherStoredVersionWins) {
  Objects objects;
  AssumedVolumes assumed(objects);
  objects.persistent_volumes.Put(Volume("1", "Available"));
  ASSERT_TRUE(assumed.volumes.Assume(Volume("1", "Assumed")));

  objects.persistent_volumes.Put(Volume("1", "Resync"));
  EXPECT_EQ(assumed.volumes.Get("", "pv")->phase, "Assumed");
  objects.persistent_volumes.Put(Volume("2", "Bound"));
  EXPECT_EQ(assumed.volumes.Get("", "pv")->phase, "Bound");
  objects.persistent_volumes.Erase("", "pv");
  EXPECT_EQ(assumed.volumes.Get("", "pv"), nullptr);
}

TEST(AssumedVolumes, RestoreTakesBackOnlyTheSameVersion) {
  Objects objects;
  AssumedVolumes assumed(objects);
  objects.persistent_volumes.Put(Volume("1", "Available"));
  ASSERT_TRUE(assumed.volumes.Assume(Volume("1", "Assumed")));

  assumed.volumes.Restore(Volume("0", ""));
  EXPECT_EQ(assumed.volumes.Get("", "pv")->phase, "Assumed");
  assumed.volumes.Restore(Volume("1", ""));
  EXPECT_EQ(assumed.volumes.Get("", "pv")->phase, "Available");
}

TEST(AssumedVolumes, AssumingFailsForUnknownAndOutdatedObjects) {
  Objects objects;
  AssumedVolumes assumed(objects);
  EXPECT_EQ(assumed.volumes.Assume(Volume("1", "")).error().message, "persistentvolumes \"pv\" not found");
  EXPECT_EQ(assumed.claims.GetStored("ns", "c").error().message, "persistentvolumeclaims \"ns/c\" not found");

  objects.persistent_volumes.Put(Volume("2", ""));
  EXPECT_EQ(assumed.volumes.Assume(Volume("1", "")).error().message, "\"pv\" is out of sync (stored: 2, assume: 1)");
}

TEST(AssumedVolumes, OvertakenAssumptionsAreDropped) {
  Objects objects;
  AssumedVolumes assumed(objects);
  for (int i = 0; i < 1000; ++i) {
    api::PersistentVolume volume = Volume("1", "");
    volume.meta.name = "pv-" + std::to_string(i);
    objects.persistent_volumes.Put(volume);
    ASSERT_TRUE(assumed.volumes.Assume(volume));
    volume.meta.resource_version = "2";
    objects.persistent_volumes.Put(volume);
  }
  EXPECT_LE(assumed.volumes.size(), 64u);
}

}  // namespace
}  // namespace berth::cluster
