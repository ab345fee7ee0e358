// SPDX-License-Identifier: Apache-2.0
#include "framework/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"

namespace berth::framework {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Matches, AsksForTheResourceAndAnActionThatIsNotMoreGeneral) {
  struct Case {
    ClusterEvent registered;
    ClusterEvent incoming;
    bool matches;
  };
  const std::vector<Case> cases = {
      {{EventResource::kNode, action::kAdd}, {EventResource::kNode, action::kAdd}, true},
      {{EventResource::kNode, action::kAdd}, {EventResource::kNode, action::kDelete}, false},
      {{EventResource::kNode, action::kAdd}, {EventResource::kCsiNode, action::kAdd}, false},
      {{EventResource::kTargetPod, action::kUpdate}, {EventResource::kTargetPod, action::kUpdatePodLabel}, true},
      {{EventResource::kTargetPod, action::kUpdatePodLabel}, {EventResource::kTargetPod, action::kUpdate}, false},
      {{EventResource::kPod, action::kAdd}, {EventResource::kUnscheduledPod, action::kAdd}, true},
      {{EventResource::kAssignedPod, action::kAdd}, {EventResource::kUnscheduledPod, action::kAdd}, false},
      {{EventResource::kWildcard, action::kAll}, {EventResource::kResourceSlice, action::kDelete}, true},
      {{EventResource::kNode, action::kAll}, {EventResource::kWildcard, action::kAll}, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(ToString(c.registered.resource)) + "/" + ActionToString(c.registered.action));
    EXPECT_EQ(Matches(c.registered, c.incoming), c.matches);
  }
}

TEST(EventResource, IsCalledAfterItsKind) {
  EXPECT_EQ(ToString(EventResource::kTargetPod), "TargetPod");
  EXPECT_EQ(ToString(EventResource::kNode), "Node");
  EXPECT_EQ(ToString(EventResource::kCsiNode), "storage.k8s.io/CSINode");
  EXPECT_EQ(ToString(EventResource::kDeviceTaintRule), "resource.k8s.io/DeviceTaintRule");
  EXPECT_EQ(ToString(EventResource::kWildcard), "*");
  EXPECT_EQ(ResourceOf<api::StorageClass>(), EventResource::kStorageClass);
  EXPECT_EQ(ResourceOf<api::Service>(), std::nullopt);
}

TEST(NodeUpdateEvents, SaysWhatChanged) {
  const api::Node before = NodeBuilder("n").Capacity("4", "8Gi").Build();
  api::Node after = before;
  after.meta.labels.Set("disk", "ssd");
  after.allocatable = cluster::Amounts({{"cpu", "8"}, {"memory", "8Gi"}});

  EXPECT_THAT(NodeUpdateEvents(before, before), IsEmpty());
  EXPECT_THAT(NodeUpdateEvents(before, after),
              ElementsAre(ClusterEvent{EventResource::kNode, action::kUpdateNodeAllocatable},
                          ClusterEvent{EventResource::kNode, action::kUpdateNodeLabel}));
}

TEST(NodeUpdateEvents, UncordoningIsAChangeOfTaintsAndCordoningIsNone) {
  const api::Node open = NodeBuilder("n").Build();
  api::Node cordoned = open;
  cordoned.unschedulable = true;

  EXPECT_THAT(NodeUpdateEvents(cordoned, open),
              ElementsAre(ClusterEvent{EventResource::kNode, action::kUpdateNodeTaint}));
  EXPECT_THAT(NodeUpdateEvents(open, cordoned), IsEmpty());
}

TEST(PodUpdateEvents, ComparesEachResource) {
  cluster::Cluster cluster;
  const cluster::PodPtr before = cluster.MakePod(PodBuilder("p").Request("cpu", "2").Request("memory", "1Gi"));
  const cluster::PodPtr after = cluster.MakePod(PodBuilder("p").Request("cpu", "1").Request("memory", "2Gi"));

  EXPECT_THAT(PodUpdateEvents(*before, *after, EventResource::kTargetPod),
              ElementsAre(ClusterEvent{EventResource::kTargetPod, action::kUpdatePodScaleDown},
                          ClusterEvent{EventResource::kTargetPod, action::kUpdatePodScaleUp}));
}

TEST(PodUpdateEvents, FallsBackToAGeneralUpdate) {
  cluster::Cluster cluster;
  const cluster::PodPtr before = cluster.MakePod(PodBuilder("p").Node("n").ResourceVersion("1"));
  const cluster::PodPtr after = cluster.MakePod(PodBuilder("p").Node("n").ResourceVersion("2"));

  EXPECT_THAT(PodUpdateEvents(*before, *after, EventResource::kAssignedPod),
              ElementsAre(ClusterEvent{EventResource::kAssignedPod, action::kUpdate}));
}

// A kubelet that has accepted a resize reports what it allocated; until then the larger amount counts.
TEST(PodUpdateEvents, ReadsAllocatedResources) {
  cluster::Cluster cluster;
  PodBuilder pod("p");
  pod.Node("n").Request("cpu", "1");
  const cluster::PodPtr after = cluster.MakePod(pod);
  pod.raw().status.container_statuses = {
      {.name = "main", .allocated_resources = cluster::Amounts({{"cpu", "3"}}), .resource_requests = {}}};
  const cluster::PodPtr before = cluster.MakePod(pod);

  EXPECT_THAT(PodUpdateEvents(*before, *after, EventResource::kAssignedPod),
              ElementsAre(ClusterEvent{EventResource::kAssignedPod, action::kUpdatePodScaleDown}));
}

}  // namespace
}  // namespace berth::framework
