// SPDX-License-Identifier: Apache-2.0

#include "cluster/pod_resources.h"

#include <gtest/gtest.h>

#include "cluster/test_builders.h"

namespace berth::cluster {
namespace {

struct Case {
  const char* name;
  api::Pod pod;
  api::ResourceList by_spec;
  api::ResourceList by_status;
  NonZeroRequest nonzero;
};

constexpr int64_t kMi = 1024 * 1024;

void Check(const Case& c) {
  SCOPED_TRACE(c.name);
  EXPECT_EQ(PodRequests(c.pod.spec, c.pod.status, {}), c.by_spec);
  EXPECT_EQ(PodRequests(c.pod.spec, c.pod.status, {.use_status = true}), c.by_status);
  const NonZeroRequest nonzero = PodNonZeroRequest(c.pod.spec, c.pod.status, {});
  EXPECT_EQ(nonzero.cpu_milli, c.nonzero.cpu_milli);
  EXPECT_EQ(nonzero.memory_bytes, c.nonzero.memory_bytes);
}

TEST(PodResources, SpecsAddUpAsContainersRun) {
  const Case cases[] = {
      {"nothing requested", PodBuilder("p"), {}, {}, {100, 200 * kMi}},
      {"an explicit zero is kept",
       PodBuilder("p").Request("cpu", "0"),
       Amounts({{"cpu", "0"}}),
       Amounts({{"cpu", "0"}}),
       {0, 200 * kMi}},
      {"containers add up",
       PodBuilder("p").Request("cpu", "1").Container("b", Amounts({{"cpu", "500m"}, {"memory", "1Mi"}})),
       Amounts({{"cpu", "1500m"}, {"memory", "1Mi"}}),
       Amounts({{"cpu", "1500m"}, {"memory", "1Mi"}}),
       {1500, 201 * kMi}},
      {"the largest init container counts",
       PodBuilder("p").Request("cpu", "1").InitContainer("i", Amounts({{"cpu", "3"}})),
       Amounts({{"cpu", "3"}}),
       Amounts({{"cpu", "3"}}),
       {3000, 200 * kMi}},
      {"a sidecar counts beside the containers and later init containers",
       PodBuilder("p")
           .Request("cpu", "1")
           .InitContainer("before", Amounts({{"cpu", "2"}}))
           .Sidecar("side", Amounts({{"cpu", "500m"}}))
           .InitContainer("after", Amounts({{"cpu", "2"}})),
       Amounts({{"cpu", "2500m"}}),
       Amounts({{"cpu", "2500m"}}),
       {2500, 400 * kMi}},
      {"overhead is added",
       PodBuilder("p").Request("cpu", "1").Overhead(Amounts({{"cpu", "250m"}, {"memory", "1Mi"}})),
       Amounts({{"cpu", "1250m"}, {"memory", "1Mi"}}),
       Amounts({{"cpu", "1250m"}, {"memory", "1Mi"}}),
       {1250, 201 * kMi}},
      {"pod level requests replace the sum",
       PodBuilder("p")
           .Request("cpu", "1")
           .Request("example.com/gpu", "1")
           .PodRequests(Amounts({{"cpu", "500m"}, {"example.com/gpu", "9"}})),
       Amounts({{"cpu", "500m"}, {"example.com/gpu", "1"}}),
       Amounts({{"cpu", "500m"}, {"example.com/gpu", "1"}}),
       {500, 200 * kMi}},
      {"with pod level requests only what is missing everywhere is defaulted",
       PodBuilder("p").Request("memory", "1Mi").Container("b").PodRequests(Amounts({{"cpu", "0"}})),
       Amounts({{"cpu", "0"}, {"memory", "1Mi"}}),
       Amounts({{"cpu", "0"}, {"memory", "1Mi"}}),
       {0, kMi}},
      {"pod level requests that do not count change nothing",
       PodBuilder("p").Container("b").PodRequests(Amounts({{"ephemeral-storage", "1"}})),
       {},
       {},
       {200, 400 * kMi}},
  };

  for (const Case& c : cases) Check(c);
}

TEST(PodResources, StatusCountsForPodsOnNodes) {
  const Case cases[] = {
      {"the larger of spec, allocated and actuated counts",
       PodBuilder("p")
           .Request("cpu", "1")
           .ContainerStatus("main", Amounts({{"cpu", "2"}}), Amounts({{"cpu", "1500m"}})),
       Amounts({{"cpu", "1"}}),
       Amounts({{"cpu", "2"}}),
       {2000, 200 * kMi}},
      {"actuated counts until it has shrunk",
       PodBuilder("p").Request("cpu", "1").ContainerStatus("main", Amounts({{"cpu", "1"}}), Amounts({{"cpu", "4"}})),
       Amounts({{"cpu", "1"}}),
       Amounts({{"cpu", "4"}}),
       {4000, 200 * kMi}},
      {"an infeasible resize leaves the spec out",
       PodBuilder("p")
           .Request("cpu", "8")
           .Condition("PodResizePending", "True", "Infeasible")
           .ContainerStatus("main", Amounts({{"cpu", "1"}}), std::nullopt),
       Amounts({{"cpu", "8"}}),
       Amounts({{"cpu", "1"}}),
       {1000, 200 * kMi}},
      {"an infeasible resize without status leaves nothing",
       PodBuilder("p").Request("cpu", "8").Condition("PodResizePending", "True", "Infeasible"),
       Amounts({{"cpu", "8"}}),
       {},
       {100, 200 * kMi}},
      {"a deferred resize counts in full",
       PodBuilder("p")
           .Request("cpu", "8")
           .Condition("PodResizePending", "True", "Deferred")
           .ContainerStatus("main", Amounts({{"cpu", "1"}}), std::nullopt),
       Amounts({{"cpu", "8"}}),
       Amounts({{"cpu", "8"}}),
       {8000, 200 * kMi}},
      {"pod level status stands for the containers",
       PodBuilder("p")
           .Request("cpu", "1")
           .ContainerStatus("main", Amounts({{"cpu", "9"}}), std::nullopt)
           .PodStatusResources(Amounts({{"cpu", "2"}}), Amounts({{"cpu", "3"}})),
       Amounts({{"cpu", "1"}}),
       Amounts({{"cpu", "3"}}),
       {3000, 200 * kMi}},
      {"pod level status raises pod level requests",
       PodBuilder("p")
           .PodRequests(Amounts({{"cpu", "1"}}))
           .PodStatusResources(Amounts({{"cpu", "2"}}), Amounts({{"cpu", "3"}})),
       Amounts({{"cpu", "1"}}),
       Amounts({{"cpu", "3"}}),
       {3000, 200 * kMi}},
  };

  for (const Case& c : cases) Check(c);
}

TEST(PodResources, GatesSwitchPodLevelResourcesOff) {
  const api::Pod pod = PodBuilder("p").Request("cpu", "1").PodRequests(Amounts({{"cpu", "5"}}));

  EXPECT_EQ(PodRequests(pod.spec, pod.status, {.pod_level = false}), Amounts({{"cpu", "1"}}));
  EXPECT_EQ(PodNonZeroRequest(pod.spec, pod.status, {.pod_level_resources = false}).cpu_milli, 1000);
  EXPECT_TRUE(HasPodLevelRequests(pod.spec));
}

}  // namespace
}  // namespace berth::cluster
