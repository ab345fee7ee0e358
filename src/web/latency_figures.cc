// SPDX-License-Identifier: Apache-2.0
#include "web/latency_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <span>
#include <vector>

namespace berth::web {
namespace {

// Histograms with the same bounds, added up.
class Sum {
 public:
  void Add(const telemetry::Histogram& histogram) {
    bounds_ = histogram.bounds();
    counts_.resize(bounds_.size() + 1);
    for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += histogram.bucket(i);
  }
  std::string ToJson() const {
    return fmt::format("{{\"bounds\":[{}],\"counts\":[{}]}}", fmt::join(bounds_, ","), fmt::join(counts_, ","));
  }

 private:
  std::span<const double> bounds_;
  std::vector<uint64_t> counts_;
};

}  // namespace

std::string LatencyFigures(const telemetry::SchedulerMetrics& metrics) {
  Sum waited, chose;
  metrics.pod_scheduling_sli_duration.ForEach([&](const telemetry::Histogram& each) { waited.Add(each); });
  chose.Add(metrics.scheduling_algorithm_duration);
  return fmt::format("{{\"waited\":{},\"chose\":{}}}", waited.ToJson(), chose.ToJson());
}

}  // namespace berth::web
