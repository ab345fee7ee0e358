// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/broken_linear.h"

namespace berth::plugins {

BrokenLinear BrokenLinear::FromShape(std::span<const framework::UtilizationShapePoint> shape) {
  std::vector<Point> points;
  for (const framework::UtilizationShapePoint& point : shape)
    points.push_back({point.utilization, int64_t{point.score} * 10});
  return BrokenLinear(std::move(points));
}

int64_t BrokenLinear::operator()(int64_t x) const {
  for (size_t i = 0; i < points_.size(); ++i) {
    if (x > points_[i].x) continue;
    if (i == 0) return points_[0].y;
    const Point& left = points_[i - 1];
    const Point& right = points_[i];
    return left.y + (right.y - left.y) * (x - left.x) / (right.x - left.x);
  }
  return points_.back().y;
}

FineScore BrokenLinear::At(FineScore x) const {
  for (size_t i = 0; i < points_.size(); ++i) {
    if (x > Fine(points_[i].x)) continue;
    if (i == 0) return Fine(points_[0].y);
    const Point& left = points_[i - 1];
    const Point& right = points_[i];
    return Fine(left.y) + (right.y - left.y) * (x - Fine(left.x)) / (right.x - left.x);
  }
  return Fine(points_.back().y);
}

}  // namespace berth::plugins
