// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/report/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace berth::simulate {
namespace {

Duration NearestRank(const std::vector<Duration>& sorted, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

double Share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// Of a value that holds from each sample to the next.
template <class Read>
double Mean(const std::vector<Sample>& samples, Read read) {
  double sum = 0;
  double time = 0;
  for (size_t i = 0; i + 1 < samples.size(); ++i) {
    const double span = static_cast<double>((samples[i + 1].at - samples[i].at).nanos);
    sum += span * read(samples[i]);
    time += span;
  }
  return time > 0 ? sum / time : 0;
}

std::string OneDigit(double number, std::string_view unit) {
  const double rounded = std::round(number * 10) / 10;
  return rounded == std::floor(rounded) ? fmt::format("{:.0f}{}", rounded, unit)
                                        : fmt::format("{:.1f}{}", rounded, unit);
}

}  // namespace

double CpuShare(const Sample& sample) { return Share(sample.cpu_requested_milli, sample.cpu_allocatable_milli); }

double MemoryShare(const Sample& sample) {
  return Share(sample.memory_requested_bytes, sample.memory_allocatable_bytes);
}

WaitingTime Summarize(std::vector<Duration> waits) {
  if (waits.empty()) return {};
  std::ranges::sort(waits);
  return {waits.size(), NearestRank(waits, 50), NearestRank(waits, 90), NearestRank(waits, 99), waits.back()};
}

std::vector<Duration> WaitingTimes(const History& history) {
  std::vector<Duration> waits;
  for (const PodLife& life : history.pods) {
    if (life.bound) waits.push_back(*life.bound - life.created);
  }
  return waits;
}

HistorySummary Summarize(const History& history) {
  HistorySummary summary;
  std::map<int32_t, std::vector<Duration>> by_priority;
  for (const PodLife& life : history.pods) {
    ++summary.states[life.state];
    if (life.bound) by_priority[life.priority].push_back(*life.bound - life.created);
  }
  summary.never_placed = summary.states[PodLife::State::kWaiting];
  summary.waiting = Summarize(WaitingTimes(history));
  summary.placed = summary.waiting.count;
  for (auto& [priority, waits] : by_priority) {
    summary.waiting_by_priority[priority] = Summarize(std::move(waits));
  }
  summary.cpu_mean = Mean(history.samples, CpuShare);
  summary.memory_mean = Mean(history.samples, MemoryShare);
  return summary;
}

std::vector<Sample> Resample(const History& history, size_t count) {
  std::vector<Sample> rows;
  const int64_t length = (history.end - history.start).nanos;
  size_t current = 0;
  for (size_t i = 0; i < count; ++i) {
    const double part = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 1;
    const Time at = history.start + Duration{std::llround(static_cast<double>(length) * part)};
    while (current + 1 < history.samples.size() && history.samples[current + 1].at <= at) ++current;
    rows.push_back(history.samples[current]);
    rows.back().at = at;
  }
  return rows;
}

std::string ShortDuration(Duration duration) {
  const double ms = static_cast<double>(duration.nanos) / 1e6;
  if (ms < 999.95) return duration == Duration{} ? "0s" : OneDigit(ms, "ms");
  if (ms < 59'950) return OneDigit(ms / 1000, "s");
  const int64_t seconds = (duration.nanos + 500'000'000) / 1'000'000'000;
  const int64_t hours = seconds / 3600;
  const int64_t minutes = seconds / 60 % 60;
  if (hours > 0) return minutes > 0 ? fmt::format("{}h{}m", hours, minutes) : fmt::format("{}h", hours);
  return seconds % 60 > 0 ? fmt::format("{}m{}s", minutes, seconds % 60) : fmt::format("{}m", minutes);
}

}  // namespace berth::simulate
