// SPDX-License-Identifier: Apache-2.0
#include "telemetry/registry.h"

#include "base/assert.h"
#include "telemetry/metrics_text.h"

namespace berth::telemetry {

template <class T>
Labelled<T>& Registry::Add(MetricInfo info, MetricType type, Labels labels, Buckets bounds) {
  LabelPolicy policy{.allowed = {}, .unexpected = &unexpected_};
  const auto restricted = options_.allowed_label_values.find(info.name);
  if (restricted != options_.allowed_label_values.end()) {
    for (const std::string& label : labels) {
      const auto allowed = restricted->second.find(label);
      policy.allowed.push_back(allowed == restricted->second.end() ? nullptr : &allowed->second);
    }
  }
  const std::string name = info.name;
  auto family = std::make_unique<Labelled<T>>(std::move(info), type, std::move(labels), std::move(bounds), policy);
  Labelled<T>& metric = *family;
  const bool is_new = families_.emplace(name, std::move(family)).second;
  BERTH_ASSERT(is_new);
  return metric;
}

Counter& Registry::AddCounter(MetricInfo info) {
  return Add<Counter>(std::move(info), MetricType::kCounter, {}, {}).With();
}
Gauge& Registry::AddGauge(MetricInfo info) { return Add<Gauge>(std::move(info), MetricType::kGauge, {}, {}).With(); }
Gauge& Registry::AddMeasuredCounter(MetricInfo info) {
  return Add<Gauge>(std::move(info), MetricType::kCounter, {}, {}).With();
}
Histogram& Registry::AddHistogram(MetricInfo info, Buckets bounds) {
  return Add<Histogram>(std::move(info), MetricType::kHistogram, {}, std::move(bounds)).With();
}
Labelled<Counter>& Registry::AddCounter(MetricInfo info, Labels labels) {
  return Add<Counter>(std::move(info), MetricType::kCounter, std::move(labels), {});
}
Labelled<Gauge>& Registry::AddGauge(MetricInfo info, Labels labels) {
  return Add<Gauge>(std::move(info), MetricType::kGauge, std::move(labels), {});
}
Labelled<Histogram>& Registry::AddHistogram(MetricInfo info, Labels labels, Buckets bounds) {
  return Add<Histogram>(std::move(info), MetricType::kHistogram, std::move(labels), std::move(bounds));
}

bool Registry::IsPrinted(const MetricInfo& info) const {
  return !options_.disabled.contains(info.name) && (!info.hidden || options_.show_hidden);
}

std::string Registry::Print(const std::set<std::string>& names) const {
  for (const std::function<void()>& refresh : refreshers_) refresh();
  MetricsText text;
  for (const auto& [name, family] : families_) {
    if (!names.empty() && !names.contains(name)) continue;
    if (IsPrinted(family->info())) family->Print(text);
  }
  return text.Take();
}

void Registry::Reset() {
  for (const auto& [name, family] : families_) family->Reset();
}

}  // namespace berth::telemetry
