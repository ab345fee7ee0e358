// SPDX-License-Identifier: Apache-2.0
// Metrics: counters, gauges and histograms, with or without labels.
//
// A metric is made by a Registry (registry.h) and lives as long as it. Labelled::With finds the child for some values
// of the labels; who counts often keeps the child, whose updates are one or two relaxed atomic operations: values are
// only read for printing, so no order between them is promised. A labelled metric without children is not printed.
//
// Thread: any. Cost: an update of a child some 5 to 20 ns, With some 100 ns.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace berth::telemetry {

class MetricsText;

// What users may rely on; it stands in front of the help text.
enum class Stability : uint8_t { kUnstated, kAlpha, kBeta, kStable };

struct MetricInfo {
  std::string name;
  std::string help;
  Stability stability = Stability::kAlpha;
  std::string deprecated_since = {};  // Such as "1.36.0".
  bool hidden = false;                // Deprecated for so long that it is printed only on demand.
};

class Counter {
 public:
  void Add(uint64_t amount = 1) { value_.fetch_add(amount, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }
  void Reset() { value_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_ = 0;
};

class Gauge {
 public:
  void Set(double value) { value_.store(value, std::memory_order_relaxed); }
  void Add(double amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

// Upper bounds of buckets, ascending; the one up to infinity is implied.
using Buckets = std::vector<double>;
// `count` bounds: first, first * factor, first * factor * factor, ... with upstream's roundings.
Buckets ExponentialBuckets(double first, double factor, int count);

class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds);  // They must outlive it.

  // `count` observations of the same value cost as much as one.
  void Observe(double value, uint64_t count = 1);

  std::span<const double> bounds() const { return bounds_; }
  // Of the bucket alone, not of those below it.
  uint64_t bucket(size_t index) const { return buckets_[index].load(std::memory_order_relaxed); }
  uint64_t count() const;
  double sum() const { return sum_.load(std::memory_order_relaxed); }
  void Reset();

 private:
  std::span<const double> bounds_;
  std::unique_ptr<std::atomic<uint64_t>[]> buckets_;  // One more than bounds.
  std::atomic<double> sum_ = 0;
};

enum class MetricType : uint8_t { kCounter, kGauge, kHistogram };

// All samples of one name.
class MetricFamily {
 public:
  virtual ~MetricFamily() = default;
  MetricFamily(const MetricFamily&) = delete;
  MetricFamily& operator=(const MetricFamily&) = delete;

  const MetricInfo& info() const { return info_; }
  MetricType type() const { return type_; }
  const std::vector<std::string>& labels() const { return labels_; }

  // Appends the family, or nothing if it has no children.
  virtual void Print(MetricsText& text) const = 0;
  // Counters and histograms with labels start again, and are not printed until they are used again. A gauge says how
  // things are, so it stays.
  virtual void Reset() = 0;

 protected:
  MetricFamily(MetricInfo info, MetricType type, std::vector<std::string> labels)
      : info_(std::move(info)), type_(type), labels_(std::move(labels)) {}

 private:
  const MetricInfo info_;
  const MetricType type_;
  const std::vector<std::string> labels_;
};

// The values that each label of a metric may have; null: any. Others become "unexpected" and are counted.
struct LabelPolicy {
  std::vector<const std::set<std::string>*> allowed;  // By label, or empty.
  Counter* unexpected = nullptr;
};

// A metric with labels: one T for each combination of values that was asked for.
template <class T>
class Labelled final : public MetricFamily {
 public:
  Labelled(MetricInfo info, MetricType type, std::vector<std::string> labels, Buckets bounds, LabelPolicy policy);
  ~Labelled() override;

  // The child for these values, in the order in which the labels were declared.
  // REQUIRES: one value per label.
  T& With(std::span<const std::string_view> values);
  template <class... Values>
    requires(std::is_convertible_v<const Values&, std::string_view> && ...)
  T& With(const Values&... values) {
    return With(std::span<const std::string_view>(std::array<std::string_view, sizeof...(Values)>{values...}));
  }

  // All children, in no particular order.
  void ForEach(const std::function<void(const T&)>& visit) const;

  void Print(MetricsText& text) const override;
  void Reset() override;

 private:
  struct Child;

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  // Valid until the thread asks again.
  std::string_view KeyOf(std::span<const std::string_view> values) const;
  std::unique_ptr<Child> MakeChild(std::string_view key) const;

  const Buckets bounds_;
  const LabelPolicy policy_;
  mutable std::mutex mutex_;  // Guards the map and what of a child is not its metric. Children never move.
  std::unordered_map<std::string, std::unique_ptr<Child>, Hash, std::equal_to<>> children_;
};

extern template class Labelled<Counter>;
extern template class Labelled<Gauge>;
extern template class Labelled<Histogram>;

}  // namespace berth::telemetry
