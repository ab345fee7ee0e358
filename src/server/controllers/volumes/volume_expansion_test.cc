// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/volumes/volume_expansion.h"

#include <gtest/gtest.h>

#include <set>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

void AddDisk(TestCluster& cluster, std::string_view allows) {
  cluster.Create("storage.k8s.io", "storageclasses",
                 "metadata: {name: disk}\nprovisioner: example.com/disk\nvolumeBindingMode: Immediate\n"
                 "allowVolumeExpansion: " +
                     std::string(allows));
  cluster.Create("", "persistentvolumeclaims", R"(
metadata: {name: data}
spec: {storageClassName: disk, accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}
)");
  cluster.Run();
}

Outcome<Objects::Written> AskFor(TestCluster& cluster, std::string_view size) {
  return cluster.objects.Update(cluster.Get("", "persistentvolumeclaims"), "default", "data", {},
                                [&](const Json& current) -> Outcome<Json> {
                                  Json changed = current;
                                  changed.Make({"spec", "resources", "requests"}).Set("storage", size);
                                  return changed;
                                });
}

TEST(VolumeExpansion, GivesAClaimTheRoomThatItAsksFor) {
  TestCluster cluster;
  AddDisk(cluster, "true");
  ASSERT_EQ(cluster.Tree("", "persistentvolumeclaims", "data")["status"]["capacity"]["storage"].text(), "2Gi");
  ASSERT_TRUE(AskFor(cluster, "5Gi"));
  cluster.Run();

  const Json claim = cluster.Tree("", "persistentvolumeclaims", "data");
  EXPECT_EQ(claim["status"]["capacity"]["storage"].text(), "5Gi");
  const Json volume = cluster.Tree("", "persistentvolumes", claim["spec"]["volumeName"].text());
  EXPECT_EQ(volume["spec"]["capacity"]["storage"].text(), "5Gi");
  std::set<std::string> events;
  for (const auto& [key, event] : cluster.store.All(cluster.Get("", "events"))) {
    const Json tree = event->Tree();
    events.insert(tree["reason"].text() + ": " + tree["message"].text());
  }
  EXPECT_TRUE(events.contains("ExternalExpanding: waiting for an external controller to expand this PVC"));
  EXPECT_TRUE(events.contains("Resizing: External resizer is resizing volume " + volume["metadata"]["name"].text()));
  EXPECT_TRUE(events.contains("VolumeResizeSuccessful: Resize volume succeeded"));
}

TEST(VolumeExpansion, IsForTheClassToAllow) {
  TestCluster cluster;
  AddDisk(cluster, "false");
  EXPECT_FALSE(AskFor(cluster, "5Gi"));
  cluster.Run();
  EXPECT_EQ(cluster.Tree("", "persistentvolumeclaims", "data")["status"]["capacity"]["storage"].text(), "2Gi");
}

}  // namespace
}  // namespace berth::server
