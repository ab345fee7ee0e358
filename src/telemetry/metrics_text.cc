// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace berth::telemetry {
namespace {

constexpr std::string_view kTypeNames[] = {"counter", "gauge", "histogram"};
constexpr std::string_view kStabilities[] = {"", "[ALPHA] ", "[BETA] ", "[STABLE] "};

void AppendEscaped(std::string& out, std::string_view text, bool in_quotes) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && in_quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

void AppendLabel(std::string& out, std::string_view name, std::string_view value) {
  out += out.back() == '{' ? "" : ",";
  (out += name) += "=\"";
  AppendEscaped(out, value, true);
  out += '"';
}

}  // namespace

std::string FormatSampleValue(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char buffer[64];
  const auto print = [&](std::chars_format format) {
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr);
  };
  std::string scientific = print(std::chars_format::scientific);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  return exponent < -4 || exponent >= 6 ? scientific : print(std::chars_format::fixed);
}

void MetricsText::Begin(const MetricInfo& info, MetricType type, std::span<const std::string> labels) {
  name_ = info.name;
  labels_.assign(labels.begin(), labels.end());
  by_name_.resize(labels.size());
  std::iota(by_name_.begin(), by_name_.end(), size_t{0});
  std::ranges::sort(by_name_, {}, [&](size_t label) { return std::string_view(labels_[label]); });

  ((out_ += "# HELP ") += name_) += ' ';
  out_ += kStabilities[static_cast<size_t>(info.stability)];
  if (!info.deprecated_since.empty()) out_ += fmt::format("(Deprecated since {}) ", info.deprecated_since);
  AppendEscaped(out_, info.help, false);
  out_ += fmt::format("\n# TYPE {} {}\n", name_, kTypeNames[static_cast<size_t>(type)]);
}

void MetricsText::Sample(std::span<const std::string> values, double value) { Line("", values, "", value); }

void MetricsText::Sample(std::span<const std::string> values, const Counter& counter) {
  Sample(values, static_cast<double>(counter.value()));
}

void MetricsText::Sample(std::span<const std::string> values, const Gauge& gauge) { Sample(values, gauge.value()); }

void MetricsText::Sample(std::span<const std::string> values, const Histogram& histogram) {
  // The count is that of the buckets as they were read, so that the last bucket always equals it.
  uint64_t count = 0;
  for (size_t i = 0; i <= histogram.bounds().size(); ++i) {
    count += histogram.bucket(i);
    const bool is_last = i == histogram.bounds().size();
    Line("_bucket", values, is_last ? "+Inf" : FormatSampleValue(histogram.bounds()[i]), static_cast<double>(count));
  }
  Line("_sum", values, "", histogram.sum());
  Line("_count", values, "", static_cast<double>(count));
}

bool MetricsText::Before(std::span<const std::string> a, std::span<const std::string> b) const {
  for (const size_t label : by_name_) {
    if (a[label] != b[label]) return a[label] < b[label];
  }
  return false;
}

void MetricsText::Line(std::string_view suffix, std::span<const std::string> values, std::string_view le,
                       double value) {
  (out_ += name_) += suffix;
  if (!values.empty() || !le.empty()) {
    out_ += '{';
    for (const size_t label : by_name_) AppendLabel(out_, labels_[label], values[label]);
    if (!le.empty()) AppendLabel(out_, "le", le);
    out_ += '}';
  }
  ((out_ += ' ') += FormatSampleValue(value)) += '\n';
}

}  // namespace berth::telemetry
