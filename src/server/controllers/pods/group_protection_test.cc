// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pods/group_protection.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kScheduling = "scheduling.k8s.io";

struct Gang {
  Gang() {
    cluster.AddNode("n1");
    cluster.Create(kScheduling, "podgroups", "{metadata: {name: g}, spec: {schedulingPolicy: {gang: {minCount: 2}}}}");
    for (const std::string_view name : {"a", "b"}) {
      cluster.Create("", "pods",
                     fmt::format("{{metadata: {{name: {}}}, spec: {{schedulingGroup: {{podGroupName: g}}, "
                                 "restartPolicy: Never, containers: [{{name: c, image: i}}]}}}}",
                                 name));
    }
    cluster.Run();
  }

  TestCluster cluster{true, WithGroups()};
};

TEST(GroupProtection, HoldsAGroupUntilItsLastPodIsGone) {
  Gang gang;
  EXPECT_EQ(gang.cluster.Tree(kScheduling, "podgroups", "g")["metadata"]["finalizers"].ToText(),
            R"(["scheduling.k8s.io/podgroup-protection"])");
  gang.cluster.Delete(kScheduling, "podgroups", "g");
  gang.cluster.Delete("", "pods", "a");
  gang.cluster.Run();

  EXPECT_NE(gang.cluster.Find(kScheduling, "podgroups", "g"), nullptr);

  gang.cluster.Delete("", "pods", "b");
  gang.cluster.Run();
  EXPECT_EQ(gang.cluster.Find(kScheduling, "podgroups", "g"), nullptr);
}

TEST(GroupProtection, PodsThatHaveEndedHoldNothing) {
  Gang gang;
  gang.cluster.Delete(kScheduling, "podgroups", "g");
  for (const std::string_view name : {"a", "b"}) {
    gang.cluster.Change("", "pods", name, [](Json& pod) { pod.Make("status").Set("phase", "Succeeded"); }, "status");
  }
  gang.cluster.Run();

  EXPECT_EQ(gang.cluster.Find(kScheduling, "podgroups", "g"), nullptr);
}

TEST(GroupProtection, AGroupWithoutPodsGoesAtOnce) {
  TestCluster cluster(true, WithGroups());
  cluster.Create(kScheduling, "podgroups", "{metadata: {name: g}, spec: {schedulingPolicy: {basic: {}}}}");
  cluster.Delete(kScheduling, "podgroups", "g");
  cluster.Run();

  EXPECT_EQ(cluster.Find(kScheduling, "podgroups", "g"), nullptr);
}

}  // namespace
}  // namespace berth::server
