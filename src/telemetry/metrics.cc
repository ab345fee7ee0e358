// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics.h"

#include <algorithm>
#include <type_traits>

#include "base/assert.h"
#include "telemetry/metrics_text.h"

namespace berth::telemetry {
namespace {

constexpr std::string_view kUnexpected = "unexpected";

// Label values are UTF-8, where this byte does not occur.
constexpr char kSeparator = '\xff';

bool IsZero(const Counter& counter) { return counter.value() == 0; }
bool IsZero(const Histogram& histogram) { return histogram.count() == 0; }
bool IsZero(const Gauge&) { return false; }

std::vector<std::string> Split(std::string_view key) {
  std::vector<std::string> values;
  while (!key.empty()) {
    const size_t end = key.find(kSeparator);
    values.emplace_back(key.substr(0, end));
    key.remove_prefix(end + 1);
  }
  return values;
}

}  // namespace

Buckets ExponentialBuckets(double first, double factor, int count) {
  Buckets bounds;
  for (double bound = first; count > 0; --count, bound *= factor) bounds.push_back(bound);
  return bounds;
}

Histogram::Histogram(std::span<const double> bounds)
    : bounds_(bounds), buckets_(std::make_unique<std::atomic<uint64_t>[]>(bounds.size() + 1)) {}

void Histogram::Observe(double value, uint64_t count) {
  const auto bound = std::ranges::lower_bound(bounds_, value);
  buckets_[static_cast<size_t>(bound - bounds_.begin())].fetch_add(count, std::memory_order_relaxed);
  sum_.fetch_add(value * static_cast<double>(count), std::memory_order_relaxed);
}

uint64_t Histogram::count() const {
  uint64_t count = 0;
  for (size_t i = 0; i <= bounds_.size(); ++i) count += bucket(i);
  return count;
}

void Histogram::Reset() {
  for (size_t i = 0; i <= bounds_.size(); ++i) buckets_[i].store(0, std::memory_order_relaxed);
  sum_.store(0, std::memory_order_relaxed);
}

template <class T>
struct Labelled<T>::Child {
  template <class... Arguments>
  explicit Child(std::vector<std::string> label_values, const Arguments&... arguments)
      : values(std::move(label_values)), metric(arguments...) {}
  const std::vector<std::string> values;
  bool reset = false;
  T metric;
};

template <class T>
Labelled<T>::Labelled(MetricInfo info, MetricType type, std::vector<std::string> labels, Buckets bounds,
                      LabelPolicy policy)
    : MetricFamily(std::move(info), type, std::move(labels)), bounds_(std::move(bounds)), policy_(std::move(policy)) {}

template <class T>
Labelled<T>::~Labelled() = default;

template <class T>
std::string_view Labelled<T>::KeyOf(std::span<const std::string_view> values) const {
  BERTH_ASSERT(values.size() == labels().size());
  static thread_local std::string key;  // Kept, so that finding a child allocates nothing.
  key.clear();
  for (size_t i = 0; i < values.size(); ++i) {
    std::string_view value = values[i];
    if (!policy_.allowed.empty() && policy_.allowed[i] && !policy_.allowed[i]->contains(std::string(value))) {
      policy_.unexpected->Add();
      value = kUnexpected;
    }
    (key += value) += kSeparator;
  }
  return key;
}

template <class T>
T& Labelled<T>::With(std::span<const std::string_view> values) {
  const std::string_view key = KeyOf(values);
  const std::lock_guard lock(mutex_);
  auto child = children_.find(key);
  if (child == children_.end()) child = children_.emplace(key, MakeChild(key)).first;
  child->second->reset = false;
  return child->second->metric;
}

template <class T>
std::unique_ptr<typename Labelled<T>::Child> Labelled<T>::MakeChild(std::string_view key) const {
  if constexpr (std::is_same_v<T, Histogram>) {
    return std::make_unique<Child>(Split(key), bounds_);
  } else {
    return std::make_unique<Child>(Split(key));
  }
}

template <class T>
void Labelled<T>::Reset() {
  if constexpr (!std::is_same_v<T, Gauge>) {
    if (labels().empty()) return;
    const std::lock_guard lock(mutex_);
    for (auto& [key, child] : children_) {
      child->metric.Reset();
      child->reset = true;
    }
  }
}

template <class T>
void Labelled<T>::ForEach(const std::function<void(const T&)>& visit) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, child] : children_) visit(child->metric);
}

template <class T>
void Labelled<T>::Print(MetricsText& text) const {
  std::vector<const Child*> shown;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, child] : children_) {
    if (!child->reset || !IsZero(child->metric)) shown.push_back(child.get());
  }
  if (shown.empty()) return;
  text.Begin(info(), type(), labels());
  std::ranges::sort(shown, [&](const Child* a, const Child* b) { return text.Before(a->values, b->values); });
  for (const Child* child : shown) text.Sample(child->values, child->metric);
}

template class Labelled<Counter>;
template class Labelled<Gauge>;
template class Labelled<Histogram>;

}  // namespace berth::telemetry
