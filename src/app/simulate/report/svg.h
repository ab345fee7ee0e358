// SPDX-License-Identifier: Apache-2.0
// Charts as SVG: axes with units, a legend, no scripts, readable on light and dark pages.

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace berth::simulate {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // In order of x; each value holds until the next.
};

struct Axis {
  std::string label;  // With its unit.
  double max = 1;     // The axis begins at 0.
  bool is_percent = false;
};

struct Chart {
  std::string title;
  Axis x;
  Axis y;
};

// Values over time, as steps. The areas below them are filled if `is_filled`; later series then cover earlier ones.
std::string StepChart(const Chart& chart, const std::vector<Series>& series, bool is_filled = false);

// Bars side by side, each with its label on the x axis.
struct Bar {
  std::string label;
  double value = 0;
};
std::string BarChart(const Chart& chart, const std::vector<Bar>& bars);

// Round numbers from 0 up to at least `max`, about five of them.
std::vector<double> Ticks(double max);

}  // namespace berth::simulate
