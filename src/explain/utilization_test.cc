// SPDX-License-Identifier: Apache-2.0
#include "explain/utilization.h"

#include <gtest/gtest.h>

#include <vector>

#include "explain/test_cluster.h"

namespace berth::explain {
namespace {

TEST(Utilization, AmountsAreShort) {
  EXPECT_EQ(FormatCpu(1500), "1.5");
  EXPECT_EQ(FormatCpu(250), "250m");
  EXPECT_EQ(FormatCpu(4000), "4");
  EXPECT_EQ(FormatBytes(0), "0");
  EXPECT_EQ(FormatBytes(1536), "1.5Ki");
  EXPECT_EQ(FormatBytes(int64_t{64} << 30), "64Gi");
}

TEST(Utilization, TheTotalAloneIsTheSame) {
  const TestCluster cluster(NodeYaml("a") + NodeYaml("b", "", "8") + PodYaml("p", "1") + PodYaml("q", "500m"));
  const NodeUsage expected = Measure(cluster.core->cluster()).total;

  const NodeUsage total = MeasureTotal(cluster.core->cluster());

  const auto amounts = [](const NodeUsage& usage) {
    std::vector<int64_t> all;
    for (const Usage& part : {usage.pods, usage.cpu_milli, usage.memory_bytes}) {
      all.insert(all.end(), {part.requested, part.allocatable});
    }
    return all;
  };
  EXPECT_EQ(amounts(total), amounts(expected));
  EXPECT_EQ(total.cpu_milli.requested, 1500);
  EXPECT_EQ(total.pods.allocatable, 20);
}

}  // namespace
}  // namespace berth::explain
