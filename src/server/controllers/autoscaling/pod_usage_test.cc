// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/autoscaling/pod_usage.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

TEST(PodUsage, IsWhatAnnotationsSayOrHalfOfTheRequests) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "pods", R"(
metadata: {name: a, annotations: {berth.dev/cpu-usage: "1"}}
spec:
  initContainers:
  - {name: first, image: a, resources: {requests: {memory: 1Gi}}}
  - {name: side, image: a, restartPolicy: Always, resources: {requests: {memory: 2Mi}}}
  containers: [{name: main, image: a, resources: {requests: {cpu: 1, memory: 64Mi}}}, {name: more, image: a}]
)");
  EXPECT_TRUE(UsageOf(*cluster.loop.cluster().pods.Find("default/a")).empty()) << "it does not run yet";
  cluster.Run();

  const std::vector<ContainerUsage> usage = UsageOf(*cluster.loop.cluster().pods.Find("default/a"));
  ASSERT_EQ(usage.size(), 3U);
  EXPECT_EQ(usage[0].name, "main");
  EXPECT_EQ(usage[0].cpu_milli + usage[1].cpu_milli + usage[2].cpu_milli, 1000);
  EXPECT_EQ(usage[0].cpu_milli, 334);
  EXPECT_EQ(usage[0].memory_bytes, 32 << 20);
  EXPECT_EQ(usage[1].memory_bytes, 0);
  EXPECT_EQ(usage[2].name, "side");
  EXPECT_EQ(usage[2].memory_bytes, 1 << 20);
}

TEST(PodUsage, IsBounded) {
  EXPECT_EQ(MilliOf(Json::String("9999999999E")), int64_t{1} << 53);
  EXPECT_EQ(MilliOf(Json::String("-1")), 0);
  EXPECT_EQ(MilliOf(Json::String("plenty")), 0);
  EXPECT_EQ(MilliOf(Json()), 0);
  int64_t sum = INT64_MAX - 1;
  AddAmount(sum, 5);
  EXPECT_EQ(sum, INT64_MAX);
}

TEST(PodUsage, AnnotationsThatSayNoAmountAreRefused) {
  TestCluster cluster;
  for (const auto& [annotation, problem] :
       {std::pair("berth.dev/cpu-usage: much", "quantities must match the regular expression"),
        std::pair("berth.dev/memory-usage: '-1'", "must not be negative")}) {
    const auto created =
        cluster.TryCreate(cluster.Get("", "pods"), std::string("metadata: {name: a, annotations: {") + annotation +
                                                       "}}\nspec: {containers: [{name: a, image: a}]}");
    ASSERT_FALSE(created);
    EXPECT_TRUE(created.error().message.contains(problem)) << created.error().message;
  }
}

}  // namespace
}  // namespace berth::server
