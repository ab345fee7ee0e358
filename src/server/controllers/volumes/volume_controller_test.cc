// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/volumes/volume_controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

void AddVolume(TestCluster& cluster, std::string_view name, std::string_view size, std::string_view policy = "Retain") {
  cluster.Create("", "persistentvolumes",
                 "metadata: {name: " + std::string(name) + "}\nspec: {storageClassName: manual, accessModes: " +
                     "[ReadWriteOnce], hostPath: {path: /x}, persistentVolumeReclaimPolicy: " + std::string(policy) +
                     ", capacity: {storage: " + std::string(size) + "}}");
}

void AddClaim(TestCluster& cluster, std::string_view name, std::string_view storage_class = "manual") {
  cluster.Create("", "persistentvolumeclaims",
                 "metadata: {name: " + std::string(name) + "}\nspec: {storageClassName: " + std::string(storage_class) +
                     ", accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}");
}

void AddClass(TestCluster& cluster, std::string_view name, std::string_view mode) {
  cluster.Create("storage.k8s.io", "storageclasses",
                 "metadata: {name: " + std::string(name) +
                     "}\nprovisioner: example.com/disk\nvolumeBindingMode: " + std::string(mode));
}

std::string Phase(const TestCluster& cluster, std::string_view plural, std::string_view name) {
  return cluster.Tree("", plural, name)["status"]["phase"].text();
}

TEST(VolumeController, BindsTheSmallestVolumeThatWillDo) {
  TestCluster cluster;
  AddClaim(cluster, "data");
  cluster.Run();
  EXPECT_EQ(Phase(cluster, "persistentvolumeclaims", "data"), "Pending");
  AddVolume(cluster, "small", "1Gi");
  AddVolume(cluster, "large", "10Gi");
  AddVolume(cluster, "right", "3Gi");
  cluster.Run();
  const Json claim = cluster.Tree("", "persistentvolumeclaims", "data");
  EXPECT_EQ(claim["status"]["phase"].text(), "Bound");
  EXPECT_EQ(claim["spec"]["volumeName"].text(), "right");
  EXPECT_EQ(claim["status"]["capacity"]["storage"].text(), "3Gi");
  EXPECT_EQ(claim["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"].text(), "yes");
  EXPECT_EQ(Phase(cluster, "persistentvolumes", "right"), "Bound");
  EXPECT_EQ(Phase(cluster, "persistentvolumes", "small"), "Available");
  EXPECT_EQ(cluster.Tree("", "persistentvolumes", "right")["spec"]["claimRef"]["uid"], claim["metadata"]["uid"]);
}

TEST(VolumeController, VolumesAreReleasedOrDeletedWithTheirClaim) {
  TestCluster cluster;
  AddVolume(cluster, "kept", "2Gi");
  AddClaim(cluster, "first");
  cluster.Run();
  AddVolume(cluster, "gone", "2Gi", "Delete");
  AddClaim(cluster, "second");
  cluster.Run();
  ASSERT_EQ(Phase(cluster, "persistentvolumes", "gone"), "Bound");
  cluster.Delete("", "persistentvolumeclaims", "first");
  cluster.Delete("", "persistentvolumeclaims", "second");
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "persistentvolumeclaims", "first"), nullptr);
  EXPECT_EQ(Phase(cluster, "persistentvolumes", "kept"), "Released");
  EXPECT_EQ(cluster.Find("", "persistentvolumes", "gone"), nullptr);
}

TEST(VolumeController, ProvisionsAtOnceOrForTheFirstConsumer) {
  TestCluster cluster;
  AddClass(cluster, "fast", "Immediate");
  AddClass(cluster, "lazy", "WaitForFirstConsumer");
  AddClaim(cluster, "now", "fast");
  AddClaim(cluster, "later", "lazy");
  cluster.Run();
  EXPECT_EQ(Phase(cluster, "persistentvolumeclaims", "now"), "Bound");
  EXPECT_EQ(Phase(cluster, "persistentvolumeclaims", "later"), "Pending");
  cluster.Change("", "persistentvolumeclaims", "later", [](Json& claim) {
    claim.Make({"metadata", "annotations"}).Set("volume.kubernetes.io/selected-node", "node-1");
  });
  cluster.Run();
  EXPECT_EQ(Phase(cluster, "persistentvolumeclaims", "later"), "Bound");
  const std::string volume = cluster.Tree("", "persistentvolumeclaims", "later")["spec"]["volumeName"].text();
  EXPECT_EQ(cluster.Tree("", "persistentvolumes", volume)["spec"]["persistentVolumeReclaimPolicy"].text(), "Delete");
  cluster.Delete("", "persistentvolumeclaims", "later");
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "persistentvolumes", volume), nullptr);
}

TEST(VolumeController, AClassMayComeLater) {
  TestCluster cluster;
  AddClaim(cluster, "data", "fast");
  cluster.Run();
  AddClass(cluster, "fast", "Immediate");
  cluster.Run();
  EXPECT_EQ(Phase(cluster, "persistentvolumeclaims", "data"), "Bound");
}

// REASON: message of the events about the claim, in the order of reasons.
std::vector<std::string> Events(const TestCluster& cluster, std::string_view claim) {
  std::vector<std::string> events;
  for (const auto& [key, event] : cluster.store.All(cluster.Get("", "events"))) {
    const Json tree = event->Tree();
    if (tree["involvedObject"]["name"].text() != claim) continue;
    // What is said while it is provisioned comes from the provisioner.
    const bool is_provisioners = tree["reason"].text().starts_with("Provisioning") && tree["type"].text() == "Normal";
    EXPECT_EQ(tree["source"]["component"].text(), is_provisioners ? "example.com/disk" : "persistentvolume-controller");
    EXPECT_EQ(tree["involvedObject"]["kind"].text(), "PersistentVolumeClaim");
    events.push_back(tree["type"].text() + " " + tree["reason"].text() + ": " + tree["message"].text());
  }
  std::ranges::sort(events);
  return events;
}

TEST(VolumeController, TellsWhyAClaimWaits) {
  TestCluster cluster;
  AddClass(cluster, "lazy", "WaitForFirstConsumer");
  cluster.Create("storage.k8s.io", "storageclasses",
                 "metadata: {name: none}\nprovisioner: kubernetes.io/no-provisioner");
  cluster.Create("", "persistentvolumeclaims",
                 "metadata: {name: classless}\nspec: {accessModes: [ReadWriteOnce], "
                 "resources: {requests: {storage: 2Gi}}}");
  AddClaim(cluster, "later", "lazy");
  AddClaim(cluster, "missing", "nowhere");
  AddClaim(cluster, "by-hand", "none");
  AddVolume(cluster, "small", "1Gi");
  cluster.Create("", "persistentvolumeclaims",
                 "metadata: {name: picky}\nspec: {accessModes: [ReadWriteOnce], storageClassName: manual, "
                 "resources: {requests: {storage: 2Gi}}, volumeName: small}");
  cluster.Run(Seconds(1));
  using testing::ElementsAre;
  EXPECT_THAT(Events(cluster, "classless"), ElementsAre("Normal FailedBinding: no persistent volumes available for "
                                                        "this claim and no storage class is set"));
  EXPECT_THAT(Events(cluster, "later"),
              ElementsAre("Normal WaitForFirstConsumer: waiting for first consumer to be created before binding"));
  EXPECT_THAT(Events(cluster, "missing"),
              ElementsAre("Warning ProvisioningFailed: storageclass.storage.k8s.io \"nowhere\" not found"));
  EXPECT_THAT(Events(cluster, "by-hand"),
              ElementsAre("Warning ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner"));
  EXPECT_THAT(Events(cluster, "picky"), ElementsAre("Warning VolumeMismatch: Cannot bind to requested volume "
                                                    "\"small\": requested PV is too small"));
  cluster.Create("", "pods", R"(
metadata: {name: user}
spec:
  containers: [{name: a, image: a}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: later}}]
)");
  cluster.Run(Seconds(20));
  EXPECT_EQ(Events(cluster, "later").back(), "Normal WaitForPodScheduled: waiting for pod user to be scheduled");
}

TEST(VolumeController, AnEventIsCountedWhileItHolds) {
  TestCluster cluster;
  AddClaim(cluster, "missing", "nowhere");
  cluster.Run(Minutes(61));
  ASSERT_EQ(Events(cluster, "missing").size(), 1U) << "neither repeated nor forgotten";
  for (const auto& [key, event] : cluster.store.All(cluster.Get("", "events"))) {
    const int64_t count = event->Tree()["count"].IntOr(0);
    EXPECT_GE(count, 10);
    EXPECT_LE(count, 13);
  }
}

TEST(VolumeController, AClaimWithoutClassGetsADefaultThatComesLater) {
  TestCluster cluster;
  const std::string claim = "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}";
  cluster.Create("", "persistentvolumeclaims", "metadata: {name: waits}\n" + claim + "}");
  cluster.Create("", "persistentvolumeclaims", "metadata: {name: wants-none}\n" + claim + ", storageClassName: ''}");
  cluster.Run(Seconds(1));
  cluster.Create("storage.k8s.io", "storageclasses",
                 "metadata: {name: usual, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}\n"
                 "provisioner: example.com/disk");
  cluster.Run(Seconds(1));
  EXPECT_EQ(cluster.Tree("", "persistentvolumeclaims", "waits")["spec"]["storageClassName"].text(), "usual");
  EXPECT_EQ(Phase(cluster, "persistentvolumeclaims", "waits"), "Bound");
  EXPECT_EQ(Phase(cluster, "persistentvolumeclaims", "wants-none"), "Pending");
  const std::vector<std::string> events = Events(cluster, "waits");
  const std::string volume = cluster.Tree("", "persistentvolumeclaims", "waits")["spec"]["volumeName"].text();
  EXPECT_THAT(events, testing::Contains("Normal ProvisioningSucceeded: Successfully provisioned volume " + volume));
  EXPECT_TRUE(std::ranges::any_of(events, [](const std::string& event) {
    return event.starts_with(
        "Normal ExternalProvisioning: Waiting for a volume to be created either by the external "
        "provisioner 'example.com/disk' or manually by the system administrator.");
  }));
}

TEST(VolumeController, AClaimWhoseVolumeIsGoneIsLost) {
  TestCluster cluster;
  AddVolume(cluster, "disk", "2Gi");
  AddClaim(cluster, "data");
  cluster.Run();
  cluster.Change("", "persistentvolumes", "disk", [](Json& volume) { volume.Make("metadata").Erase("finalizers"); });
  cluster.Delete("", "persistentvolumes", "disk");
  cluster.Run();
  EXPECT_EQ(Phase(cluster, "persistentvolumeclaims", "data"), "Lost");
  EXPECT_EQ(Events(cluster, "data").front(),
            "Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!");
}

TEST(VolumeProtection, ClaimsInUseStay) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddVolume(cluster, "disk", "2Gi");
  AddClaim(cluster, "data");
  cluster.Create("", "pods", R"(
metadata: {name: user}
spec:
  containers: [{name: a, image: a}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
)");
  cluster.Run();
  cluster.Delete("", "persistentvolumeclaims", "data");
  cluster.Delete("", "persistentvolumes", "disk");
  cluster.Run();
  EXPECT_NE(cluster.Find("", "persistentvolumeclaims", "data"), nullptr);
  EXPECT_NE(cluster.Find("", "persistentvolumes", "disk"), nullptr);
  cluster.Delete("", "pods", "user");
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "persistentvolumeclaims", "data"), nullptr);
  EXPECT_EQ(cluster.Find("", "persistentvolumes", "disk"), nullptr);
}

TEST(EphemeralVolumes, AClaimLivesAsLongAsItsPod) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "pods", R"(
metadata: {name: user}
spec:
  containers: [{name: a, image: a}]
  volumes:
  - name: scratch
    ephemeral:
      volumeClaimTemplate:
        metadata: {labels: {kind: scratch}}
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
)");
  cluster.Run();
  const ObjectPtr claim = cluster.Find("", "persistentvolumeclaims", "user-scratch");
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(claim->labels().Get("kind"), "scratch");
  cluster.Delete("", "pods", "user");
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "persistentvolumeclaims", "user-scratch"), nullptr);
}

TEST(EphemeralVolumes, AClaimOfSomebodyElseIsNotTaken) {
  TestCluster cluster;
  constexpr std::string_view kSpec = "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}";
  cluster.Create("", "persistentvolumeclaims", fmt::format("metadata: {{name: user-scratch}}\nspec: {}", kSpec));
  cluster.Create("", "pods",
                 fmt::format("metadata: {{name: user}}\nspec: {{containers: [{{name: a, image: a}}], volumes: [{{name: "
                             "scratch, ephemeral: {{volumeClaimTemplate: {{spec: {}}}}}}}]}}",
                             kSpec));
  cluster.Run();
  EXPECT_THAT(cluster.Events("user"),
              testing::Contains("Warning FailedBinding: ephemeral volume scratch: PVC default/user-scratch was not "
                                "created for pod default/user (pod is not owner)"));
}

}  // namespace
}  // namespace berth::server
