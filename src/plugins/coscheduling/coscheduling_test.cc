// SPDX-License-Identifier: Apache-2.0
#include "plugins/coscheduling/coscheduling.h"

#include <gtest/gtest.h>

#include <string>

#include "plugins/coscheduling/free_resources.h"
#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

PodBuilder Coscheduled(std::string name, std::string group = "g") {
  return PodBuilder(std::move(name)).Label("scheduling.x-k8s.io/pod-group", std::move(group));
}

api::CoscheduledGroup GroupOfSize(int32_t min_member, Time created = {}, std::string name = "g") {
  api::CoscheduledGroup group;
  group.meta.ns = "default";
  group.meta.name = std::move(name);
  group.meta.creation_timestamp = created;
  group.min_member = min_member;
  return group;
}

cluster::PodPtr PutMember(cluster::Cluster& cluster, const PodBuilder& pod) {
  cluster::PodPtr made = cluster.MakePod(pod);
  cluster.coscheduled.Put(nullptr, made);
  return made;
}

// Pods with a node go there.
cluster::PodPtr PutMemberThere(cluster::Cluster& cluster, const PodBuilder& pod) {
  const cluster::PodPtr made = PutMember(cluster, pod);
  EXPECT_TRUE(cluster.AddPod(made).has_value());
  return made;
}

TEST(Coscheduling, OrdersByPriorityThenByTheAgeOfTheGroup) {
  cluster::Cluster cluster;
  cluster.objects.Put(GroupOfSize(2, Time{50}));
  const cluster::PodPtr important = PutMember(cluster, PodBuilder("important").Priority(10));
  const cluster::PodPtr member = PutMember(cluster, Coscheduled("member"));
  const cluster::PodPtr sibling = PutMember(cluster, Coscheduled("sibling"));
  const cluster::PodPtr orphan = PutMember(cluster, Coscheduled("orphan", "unknown"));
  const Coscheduling plugin({});
  // Each is queued at the time that is given.
  const auto less = [&](const cluster::PodPtr& a, int64_t since, const cluster::PodPtr& b, int64_t b_since) {
    return plugin.Less({*a, Time{since}}, {*b, Time{b_since}}, cluster);
  };

  EXPECT_TRUE(less(important, 99, member, 1));
  EXPECT_TRUE(less(member, 99, orphan, 51)) << "the group is older";
  EXPECT_TRUE(less(orphan, 49, member, 1)) << "without the group's object the pod's own time counts";
  EXPECT_TRUE(less(member, 99, sibling, 1)) << "by name";
  EXPECT_FALSE(less(sibling, 1, member, 99));

  cluster.coscheduled.Find(*member)->failed_at = Time{60};
  EXPECT_TRUE(less(orphan, 59, member, 1)) << "a group that was given up lets others go first";
}

TEST(Coscheduling, GroupThatIsNotCompleteIsTurnedDown) {
  cluster::Cluster cluster;
  cluster.objects.Put(GroupOfSize(3));
  const Coscheduling plugin({});
  const auto check = [&] {
    PluginTrial trial(cluster, Coscheduled("a"));
    return plugin.PreFilter(trial.cycle()).status;
  };
  PutMember(cluster, Coscheduled("a"));
  PutMember(cluster, Coscheduled("b"));
  PutMember(cluster, Coscheduled("other", "h"));

  EXPECT_EQ(check().message(),
            "pre-filter pod a cannot find enough sibling pods, current pods number: 2, minMember of group: 3");
  EXPECT_EQ(check().code, framework::StatusCode::kUnschedulableAndUnresolvable);
  const cluster::PodPtr gated = PutMember(cluster, Coscheduled("c").Gate("wait"));
  EXPECT_EQ(check().message(), "pre-filter pod a cannot proceed due to gated pods in the same PodGroup");
  cluster.coscheduled.Put(gated.get(), cluster.MakePod(Coscheduled("c")));
  EXPECT_TRUE(check().ok());

  PluginTrial alone(cluster, PodBuilder("alone"));
  EXPECT_TRUE(plugin.PreFilter(alone.cycle()).status.ok());
}

TEST(Coscheduling, RoomForTheGroupIsSoughtInTheWholeCluster) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("n1").Capacity("2", "4Gi", "1").Allocatable("example.com/gpu", "1"));
  cluster.AddNode(NodeBuilder("n2").Capacity("2", "4Gi", "2"));
  PutMemberThere(cluster, PodBuilder("foreign").Node("n1").Request("cpu", "1"));
  PutMemberThere(cluster, Coscheduled("own").Node("n2").Request("cpu", "1500m"));
  api::CoscheduledGroup object = GroupOfSize(2);
  const cluster::PodPtr member = PutMember(cluster, Coscheduled("a"));
  const auto gap = [&](api::ResourceList wanted) {
    object.min_resources = std::move(wanted);
    return ResourceGap(object, *cluster.coscheduled.Find(*member), cluster);
  };

  EXPECT_EQ(gap(cluster::Amounts({{"cpu", "3"}, {"memory", "8Gi"}})), "") << "what the group holds counts as free";
  EXPECT_EQ(gap(cluster::Amounts({{"cpu", "3500m"}, {"memory", "9Gi"}})), "cpu: 500m, memory: 1073741824");
  EXPECT_EQ(gap(cluster::Amounts({{"example.com/gpu", "3"}})), "example.com/gpu: 2");
  EXPECT_EQ(gap(cluster::Amounts({{"example.com/tpu", "1"}})), "example.com/tpu: 1");
  object.min_member = 3;
  EXPECT_EQ(gap({}), "pods: 1");
}

TEST(Coscheduling, RoomThatWasFoundIsNotSoughtAgainForAWhile) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("n1").Capacity("2", "4Gi"));
  api::CoscheduledGroup object = GroupOfSize(1);
  object.min_resources = cluster::Amounts({{"cpu", "2"}});
  cluster.objects.Put(object);
  PutMember(cluster, Coscheduled("a"));
  const Coscheduling plugin({.permit_waiting_time_seconds = 10});
  const auto check = [&](Time now) {
    PluginTrial trial(cluster, Coscheduled("a"));
    trial.cycle().set_now(now);
    return plugin.PreFilter(trial.cycle()).status.message();
  };

  EXPECT_EQ(check(Time{Seconds(100).nanos}), "");
  PutMemberThere(cluster, PodBuilder("foreign").Node("n1").Request("cpu", "2"));
  EXPECT_EQ(check(Time{Seconds(109).nanos}), "");
  EXPECT_EQ(check(Time{Seconds(110).nanos}), "resource gap: cpu: 2000m");
}

TEST(Coscheduling, PodsThatChangeTheirLabelChangeTheirGroup) {
  cluster::Cluster cluster;
  const cluster::PodPtr before = PutMemberThere(cluster, Coscheduled("a").Node("n1"));
  EXPECT_EQ(cluster.coscheduled.Find(*before)->assigned.size(), 1u);

  const cluster::PodPtr after = cluster.MakePod(Coscheduled("a", "h").Node("n1"));
  cluster.coscheduled.Put(before.get(), after);
  EXPECT_TRUE(cluster.UpdatePod(*before, after).has_value());

  EXPECT_EQ(cluster.coscheduled.Find(*before), nullptr);
  EXPECT_EQ(cluster.coscheduled.Find(*after)->assigned.size(), 1u);
  cluster.coscheduled.Remove(*after);
  EXPECT_TRUE(cluster.RemovePod(*after).has_value());
  EXPECT_EQ(cluster.coscheduled.size(), 0u);
}

TEST(Coscheduling, ArgumentsAreChecked) {
  const framework::FeatureGates gates;
  framework::FieldErrors errors;
  const std::string path;

  Coscheduling::Args{
      .permit_waiting_time_seconds = -1, .pod_group_backoff_seconds = -1, .pod_group_reject_percentage = 101}
      .Validate({path, gates, errors});

  EXPECT_EQ(errors.messages(),
            (std::vector<std::string>{"permitWaitingTimeSeconds: Invalid value: -1: must be greater than 0",
                                      "podGroupBackoffSeconds: Invalid value: -1: must be greater than 0",
                                      "podGroupRejectPercentage: Invalid value: 101: must be between 0 and 100"}));
}

}  // namespace
}  // namespace berth::plugins
