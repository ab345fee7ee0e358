// SPDX-License-Identifier: Apache-2.0
// MetricsText: the text form of metrics that Prometheus reads (version 0.0.4).
//
// Begin a family, then give its samples in order. Labels are printed by name, whatever their order in the family.
//
// Thread: one.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/metrics.h"

namespace berth::telemetry {

class MetricsText {
 public:
  void Begin(const MetricInfo& info, MetricType type, std::span<const std::string> labels);

  // One value per label of the family that was begun, in the family's order.
  void Sample(std::span<const std::string> values, double value);
  void Sample(std::span<const std::string> values, const Counter& counter);
  void Sample(std::span<const std::string> values, const Gauge& gauge);
  void Sample(std::span<const std::string> values, const Histogram& histogram);

  // Whether a sample with the values `a` is printed before one with `b`.
  bool Before(std::span<const std::string> a, std::span<const std::string> b) const;

  std::string Take() { return std::move(out_); }

 private:
  void Line(std::string_view suffix, std::span<const std::string> values, std::string_view le, double value);

  std::string out_;
  std::string name_;
  std::vector<std::string> labels_;
  std::vector<size_t> by_name_;  // Places of the labels, ordered by their names.
};

// The shortest digits that read back as the same number, with an exponent below 0.0001 and from 1e+06 on.
std::string FormatSampleValue(double value);

}  // namespace berth::telemetry
