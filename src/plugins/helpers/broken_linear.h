// SPDX-License-Identifier: Apache-2.0
// BrokenLinear: a piecewise linear function on integers, given by points.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/args/resource_spec.h"
#include "framework/fine_score.h"

namespace berth::plugins {

using framework::Fine;
using framework::FineMean;
using framework::FinePercent;
using framework::FineScore;

class BrokenLinear {
 public:
  struct Point {
    int64_t x = 0;
    int64_t y = 0;
  };
  // REQUIRES: x strictly increasing, at least one point.
  explicit BrokenLinear(std::vector<Point> points) : points_(std::move(points)) {}

  // The shape of a configuration: utilization to score, scores scaled from 0..10 to 0..100.
  static BrokenLinear FromShape(std::span<const framework::UtilizationShapePoint> shape);

  // Constant outside the points; between them integer arithmetic that truncates toward zero.
  int64_t operator()(int64_t x) const;
  // The same line at a point between integers, without truncation.
  FineScore At(FineScore x) const;

 private:
  std::vector<Point> points_;
};

}  // namespace berth::plugins
