// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/report/svg.h"

#include <gtest/gtest.h>

namespace berth::simulate {
namespace {

TEST(Svg, TicksAreRoundAndReachTheTop) {
  EXPECT_EQ(Ticks(5), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(Ticks(47), (std::vector<double>{0, 10, 20, 30, 40, 50}));
  EXPECT_EQ(Ticks(1200).back(), 1200);
  EXPECT_EQ(Ticks(0).back(), 1);
  for (const double max : {0.003, 0.7, 1.0, 3.0, 9.0, 61.0, 999.0, 12345.0}) {
    SCOPED_TRACE(max);
    EXPECT_GE(Ticks(max).back(), max * 0.999);
    EXPECT_GE(Ticks(max).size(), 4u);
    EXPECT_LE(Ticks(max).size(), 8u);
  }
}

TEST(Svg, ChartsNameTheirSeriesAndEscapeText) {
  const Chart chart{"a < b", {.label = "time (s)", .max = 10}, {.label = "pods", .max = 5}};
  const std::string svg = StepChart(chart, {{"pending & more", {{0, 1}, {5, 3}}}});

  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("a &lt; b"), svg.npos);
  EXPECT_NE(svg.find("pending &amp; more"), svg.npos);
  EXPECT_NE(svg.find("time (s)"), svg.npos);
  EXPECT_NE(svg.find("H"), svg.npos) << "a step goes sideways first";
  EXPECT_NE(BarChart(chart, {{"long", 4}}).find(">long<"), std::string::npos);
}

}  // namespace
}  // namespace berth::simulate
