// SPDX-License-Identifier: Apache-2.0
#include "telemetry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "telemetry/metrics_text.h"
#include "telemetry/process_metrics.h"
#include "telemetry/scheduler_metrics.h"

namespace berth::telemetry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Registry, PrintsFamiliesAndSamplesInOrder) {
  Registry registry;
  Labelled<Counter>& pods = registry.AddCounter({"pods_total", "Pods.", Stability::kStable}, {"result", "profile"});
  registry.AddGauge({"depth", "How\ndeep \\.", Stability::kBeta}).Set(2.5);
  pods.With("scheduled", "b").Add(3);
  pods.With("scheduled", "a").Add();
  pods.With("error", "b").Add();

  EXPECT_EQ(registry.Print(),
            "# HELP depth [BETA] How\\ndeep \\\\.\n"
            "# TYPE depth gauge\n"
            "depth 2.5\n"
            "# HELP pods_total [STABLE] Pods.\n"
            "# TYPE pods_total counter\n"
            "pods_total{profile=\"a\",result=\"scheduled\"} 1\n"
            "pods_total{profile=\"b\",result=\"error\"} 1\n"
            "pods_total{profile=\"b\",result=\"scheduled\"} 3\n");
  EXPECT_EQ(registry.Print({"depth"}).find("pods_total"), std::string::npos);
}

TEST(Registry, PrintsHistogramsWithCumulativeBuckets) {
  Registry registry;
  Labelled<Histogram>& wait = registry.AddHistogram({"wait_seconds", "Wait."}, {"queue"}, {0.5, 1});
  Histogram& active = wait.With("active");
  active.Observe(0.5);
  active.Observe(0.75, 2);
  active.Observe(7);

  EXPECT_EQ(registry.Print(),
            "# HELP wait_seconds [ALPHA] Wait.\n"
            "# TYPE wait_seconds histogram\n"
            "wait_seconds_bucket{queue=\"active\",le=\"0.5\"} 1\n"
            "wait_seconds_bucket{queue=\"active\",le=\"1\"} 3\n"
            "wait_seconds_bucket{queue=\"active\",le=\"+Inf\"} 4\n"
            "wait_seconds_sum{queue=\"active\"} 9\n"
            "wait_seconds_count{queue=\"active\"} 4\n");
}

TEST(Registry, LabelsWithoutChildrenAreNotPrinted) {
  Registry registry;
  Labelled<Gauge>& gauge = registry.AddGauge({"g", "G."}, {"a"});
  EXPECT_EQ(registry.Print(), "");
  gauge.With("\"q\"\\\n");
  EXPECT_THAT(registry.Print(), HasSubstr("g{a=\"\\\"q\\\"\\\\\\n\"} 0\n"));
}

TEST(Registry, ChildIsTheSameForEqualValues) {
  Registry registry;
  Labelled<Counter>& counter = registry.AddCounter({"c", "C."}, {"a", "b"});
  EXPECT_EQ(&counter.With("x", "y"), &counter.With("x", "y"));
  EXPECT_NE(&counter.With("xy", ""), &counter.With("x", "y"));
}

TEST(Registry, ResetForgetsWhatLabelledCountersCounted) {
  Registry registry;
  Counter& child = registry.AddCounter({"a", "A."}, {"l"}).With("x");
  Counter& plain = registry.AddCounter({"b", "B."});
  Gauge& gauge = registry.AddGauge({"c", "C."}, {"l"}).With("x");
  child.Add();
  plain.Add();
  gauge.Set(4);

  registry.Reset();

  EXPECT_THAT(registry.Print(), AllOf(Not(HasSubstr("a{")), HasSubstr("b 1\n"), HasSubstr("c{l=\"x\"} 4\n")));
  child.Add();
  EXPECT_THAT(registry.Print(), HasSubstr("a{l=\"x\"} 1\n"));
}

TEST(Registry, OptionsDisableHideAndMergeValues) {
  Registry registry({.disabled = {"off"}, .allowed_label_values = {{"few", {{"l", {"a", "b"}}}}}});
  registry.AddCounter({"off", "Off."});
  registry.AddCounter({.name = "old", .help = "Old.", .deprecated_since = "1.30.0", .hidden = true});
  registry.AddCounter({.name = "aging", .help = "Aging.", .deprecated_since = "1.37.0"});
  Labelled<Counter>& few = registry.AddCounter({"few", "Few."}, {"l", "m"});
  few.With("a", "1").Add();
  few.With("c", "1").Add();
  few.With("d", "1").Add();

  const std::string text = registry.Print();

  EXPECT_THAT(text,
              AllOf(Not(HasSubstr("off")), Not(HasSubstr("old")), HasSubstr("[ALPHA] (Deprecated since 1.37.0) Aging."),
                    HasSubstr("few{l=\"a\",m=\"1\"} 1\n"), HasSubstr("few{l=\"unexpected\",m=\"1\"} 2\n")));
  EXPECT_EQ(registry.unexpected_label_values(), 2U);
}

TEST(MetricsText, NumbersAreFormattedAsUpstreamDoes) {
  const std::pair<double, const char*> cases[] = {{0, "0"},
                                                  {1, "1"},
                                                  {-1, "-1"},
                                                  {0.0001, "0.0001"},
                                                  {1e-5, "1e-05"},
                                                  {123456, "123456"},
                                                  {1e6, "1e+06"},
                                                  {1e21, "1e+21"},
                                                  {1073741824, "1.073741824e+09"},
                                                  {0.1 + 0.2, "0.30000000000000004"},
                                                  {std::numeric_limits<double>::infinity(), "+Inf"},
                                                  {std::numeric_limits<double>::quiet_NaN(), "NaN"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(FormatSampleValue(value), text);
}

TEST(ProcessMetrics, DescribeThisProcess) {
  Registry registry;
  AddProcessMetrics(registry);
  const std::string text = registry.Print();
  EXPECT_THAT(text, HasSubstr("# TYPE process_cpu_seconds_total counter\n"));
  EXPECT_THAT(text, Not(HasSubstr("process_resident_memory_bytes 0\n")));
  EXPECT_THAT(text, Not(HasSubstr("process_open_fds 0\n")));
  EXPECT_GT(ProcessStartTime(), Time{1'700'000'000'000'000'000});
}

TEST(Registry, CountsFromSeveralThreadsWhilePrinted) {
  Registry registry;
  SchedulerMetrics metrics(registry);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      Histogram& algorithm = metrics.scheduling_algorithm_duration;
      for (int j = 0; j < 1000; ++j) {
        metrics.schedule_attempts.With("scheduled", "default-scheduler").Add();
        metrics.pending_pods.With("active").Add(j % 2 == 0 ? 1 : -1);
        algorithm.Observe(0.001);
      }
    });
  }
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(registry.Print().empty());
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(metrics.schedule_attempts.With("scheduled", "default-scheduler").value(), 4000U);
  EXPECT_EQ(metrics.scheduling_algorithm_duration.count(), 4000U);
  EXPECT_EQ(metrics.pending_pods.With("active").value(), 0);
}

}  // namespace
}  // namespace berth::telemetry
