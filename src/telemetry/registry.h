// SPDX-License-Identifier: Apache-2.0
// Registry: makes metrics, owns them and prints them all, ordered by name.
//
// Which metrics are printed and which values of labels are told apart is decided by the options before the first metric
// is made. A metric that is not printed still counts.
//
// Thread: metrics are made on one thread before others use them; printing and resetting on any.

#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/metrics.h"

namespace berth::telemetry {

class Registry {
 public:
  struct Options {
    std::set<std::string> disabled;  // Names of metrics that are not printed.
    bool show_hidden = false;
    // The values that a label may have, by metric and label; all others are counted together.
    std::map<std::string, std::map<std::string, std::set<std::string>>> allowed_label_values;
  };
  using Labels = std::vector<std::string>;

  Registry() = default;
  explicit Registry(Options options) : options_(std::move(options)) {}
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // REQUIRES: the name is new.
  Counter& AddCounter(MetricInfo info);
  Gauge& AddGauge(MetricInfo info);
  Gauge& AddMeasuredCounter(MetricInfo info);  // Printed as a counter; somebody else counts.
  Histogram& AddHistogram(MetricInfo info, Buckets bounds);
  Labelled<Counter>& AddCounter(MetricInfo info, Labels labels);
  Labelled<Gauge>& AddGauge(MetricInfo info, Labels labels);
  Labelled<Histogram>& AddHistogram(MetricInfo info, Labels labels, Buckets bounds);

  // `refresh` sets some of the metrics before each printing, on the thread that prints.
  void BeforePrinting(std::function<void()> refresh) { refreshers_.push_back(std::move(refresh)); }

  // All metrics, or those in `names`.
  std::string Print(const std::set<std::string>& names = {}) const;
  // Forgets what counters and histograms with labels have counted.
  void Reset();

  bool IsPrinted(const MetricInfo& info) const;
  const std::map<std::string, std::unique_ptr<MetricFamily>>& families() const { return families_; }
  // How often a label had a value that is not allowed.
  uint64_t unexpected_label_values() const { return unexpected_.value(); }

 private:
  template <class T>
  Labelled<T>& Add(MetricInfo info, MetricType type, Labels labels, Buckets bounds);

  const Options options_;
  Counter unexpected_;
  std::map<std::string, std::unique_ptr<MetricFamily>> families_;  // By name.
  std::vector<std::function<void()>> refreshers_;
};

}  // namespace berth::telemetry
