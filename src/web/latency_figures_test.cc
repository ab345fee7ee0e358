// SPDX-License-Identifier: Apache-2.0
#include "web/latency_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::web {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(LatencyFigures, AddUpPodsWhateverTheNumberOfTheirAttempts) {
  telemetry::Registry registry;
  telemetry::SchedulerMetrics metrics(registry);
  EXPECT_THAT(LatencyFigures(metrics), StartsWith(R"({"waited":{"bounds":[],"counts":[]},"chose":{"bounds":[0.001,)"));

  metrics.pod_scheduling_sli_duration.With("1").Observe(0.005, 2);
  metrics.pod_scheduling_sli_duration.With("3").Observe(0.015);

  EXPECT_THAT(LatencyFigures(metrics), StartsWith(R"({"waited":{"bounds":[0.01,0.02,)"));
  EXPECT_THAT(LatencyFigures(metrics), HasSubstr(R"("counts":[2,1,0,)"));
}

}  // namespace
}  // namespace berth::web
