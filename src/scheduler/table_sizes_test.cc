// SPDX-License-Identifier: Apache-2.0
// Pods that have come and gone leave nothing behind in the core.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/test_core.h"

namespace berth::scheduler {
namespace {

// The sizes without those of caches, which are bounded by themselves.
std::vector<std::pair<std::string, size_t>> KeptSizes(const Core& core) {
  std::vector<std::pair<std::string, size_t>> kept;
  for (const auto& [table, size] : core.Sizes()) {
    if (!table.starts_with("topology") && !table.starts_with("pod counter")) kept.emplace_back(table, size);
  }
  return kept;
}

// Carries out what the core has ordered.
void CarryOut(World& world) {
  for (const auto& [id, bind] : world.Take<framework::BindPod>()) {
    world.Answer(id);
    world.Put(Pod(bind.pod->name).Namespace(bind.pod->ns()).Node(bind.node_name).ResourceVersion("2").Build());
  }
  world.Take<framework::RecordEvent>();
  world.Take<framework::PatchPodStatus>();
}

TEST(CoreTables, HoldNothingOfPodsThatHaveGone) {
  World world;
  for (const char* name : {"n1", "n2"}) world.Put(Node(name));
  (void)world.core().cluster().order();
  const auto before = KeptSizes(world.core());

  for (int i = 0; i < 300; ++i) {
    const std::string number = std::to_string(i);
    const std::string ns = "ns" + number;
    const cluster::PodBuilder fits =
        Pod("fits").Namespace(ns).Label("app", ns).AntiAffinity(cluster::Term("kubernetes.io/hostname", {{"app", ns}}));
    const cluster::PodBuilder lacks = Pod("lacks").Namespace(ns).Request("example.com/r" + number, "1");
    const cluster::PodBuilder apart =
        Pod("apart").Namespace(ns).Spread(1, "example.com/k" + number, "DoNotSchedule", {{"app", ns}});
    for (const cluster::PodBuilder& pod : {fits, lacks, apart}) world.Put(pod.Build());
    world.ScheduleAll();
    CarryOut(world);
    EXPECT_NE(KeptSizes(world.core()), before);
    for (const char* name : {"fits", "lacks", "apart"}) world.Remove("Pod", ns, name);
  }

  EXPECT_EQ(KeptSizes(world.core()), before);
}

}  // namespace
}  // namespace berth::scheduler
