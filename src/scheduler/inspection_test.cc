// SPDX-License-Identifier: Apache-2.0
#include "scheduler/inspection.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "scheduler/resource_report.h"
#include "scheduler/test_core.h"

namespace berth::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Inspection, DumpNamesNodesTheirPodsAndTheQueues) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("b").Node("n1").Build());
  world.Put(Pod("a").Node("n1").Build());
  world.Put(Pod("big").Request("cpu", "100").Build());
  world.Put(Pod("gone").Node("n2").Build());
  world.ScheduleAll();

  const Dump dump = MakeDump(world.core());

  EXPECT_THAT(dump.nodes, HasSubstr("Node name: n1\nDeleted: false\nRequested Resources: {MilliCPU:2000 Memory:0"));
  EXPECT_THAT(dump.nodes, HasSubstr("Scheduled Pods(number: 2):\n"
                                    "name: a, namespace: default, uid: uid-a, phase: Pending, nominated node: \n"
                                    "name: b, namespace: default, uid: uid-b, phase: Pending, nominated node: \n"
                                    "\n\nNode name: n2\nDeleted: true\n"));
  EXPECT_EQ(dump.queue_summary, "activeQ:0; backoffQ:0; unschedulableEntities:1");
  EXPECT_EQ(dump.queue_pods, "name: big, namespace: default, uid: uid-big, phase: Pending, nominated node: \n");
}

TEST(Inspection, EveryReportedPodIsOnANodeOrInAQueue) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("bound").Node("n1").Build());
  world.Put(Pod("assumed").Build());
  world.Put(Pod("foreign").SchedulerName("other").Build());
  world.ScheduleAll();
  world.Put(Pod("waiting").Request("cpu", "100").Build());

  const Mismatch pods = ComparePods(world.core());
  EXPECT_THAT(pods.missed, IsEmpty());
  EXPECT_THAT(pods.redundant, IsEmpty());
  EXPECT_TRUE(CompareNodes(world.core(), {"n1"}).empty());
  EXPECT_THAT(CompareNodes(world.core(), {"n0"}).missed, ElementsAre("n0"));
  EXPECT_THAT(CompareNodes(world.core(), {"n0"}).redundant, ElementsAre("n1"));
}

TEST(ResourceReport, ListsRequestsAndLimitsWithUnits) {
  World world;
  api::Pod pod = Pod("a").Request("cpu", "250m").Request("memory", "1Gi").Priority(7).Build();
  pod.spec.containers[0].limits.Set("cpu", api::Quantity::Parse("500m").value());
  pod.spec.containers[0].limits.Set("example.com/gpu", api::Quantity::Parse("1").value());
  pod.spec.overhead.Set("cpu", api::Quantity::Parse("100m").value());
  pod.spec.overhead.Set("memory", api::Quantity::Parse("0").value());
  world.Put(pod);

  const std::vector<PodResources> report = ReportResources(world.core());

  ASSERT_EQ(report.size(), 1u);
  EXPECT_EQ(report[0].name, "a");
  EXPECT_EQ(report[0].priority, 7);
  EXPECT_EQ(report[0].scheduler, "default-scheduler");
  const auto shown = [](const std::vector<ResourceAmount>& amounts) {
    std::string text;
    for (const ResourceAmount& amount : amounts)
      text += fmt::format("{}={}{} ", amount.resource, amount.value, amount.unit);
    return text;
  };
  // 350 times 1e-3, as upstream multiplies it.
  EXPECT_EQ(shown(report[0].requests), "cpu=0.35000000000000003cores memory=1073741824bytes ");
  EXPECT_EQ(shown(report[0].limits), "cpu=0.6cores example.com/gpu=1 ");
}

}  // namespace
}  // namespace berth::scheduler
