// SPDX-License-Identifier: Apache-2.0
#include "server/tables/cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/model/label_selector.h"

namespace berth::server {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// `4d3h`: the second unit is left out when it is zero.
std::string TwoUnits(int64_t large, char large_unit, int64_t small, char small_unit) {
  return small == 0 ? fmt::format("{}{}", large, large_unit)
                    : fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

std::string JoinMembers(const Json& list, std::string_view member) {
  std::string joined;
  for (const Json& item : list.items()) {
    if (&item != &list.items().front()) joined += ',';
    joined += item[member].text();
  }
  return joined;
}

}  // namespace

std::string HumanDuration(Duration duration) {
  const int64_t seconds = duration.nanos / kSecond;
  // A little disagreement between clocks counts as now.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  const int64_t minutes = seconds / 60;
  if (minutes < 10) return TwoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return fmt::format("{}m", minutes);
  const int64_t hours = minutes / 60;
  if (hours < 8) return TwoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  const int64_t days = hours / 24;
  if (days < 8) return TwoUnits(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return fmt::format("{}d", days);
  if (days < 8 * 365) return TwoUnits(days / 365, 'y', days % 365, 'd');
  return fmt::format("{}y", days / 365);
}

std::string Since(const Json& timestamp, Time now) {
  const Result<Time> time = ParseTime(timestamp.text());
  return time ? HumanDuration(now - *time) : "<unknown>";
}

std::string Age(const Json& object, Time now) { return Since(object["metadata"]["creationTimestamp"], now); }

std::string Name(const Json& object) { return object["metadata"]["name"].text(); }

bool IsDeleted(const Json& object) { return object["metadata"].Has("deletionTimestamp"); }

std::string TextOr(const Json& text, std::string_view other) {
  return text.text().empty() ? std::string(other) : text.text();
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string JoinTexts(const Json& list, std::string_view separator) {
  std::vector<std::string> texts;
  for (const Json& item : list.items()) texts.push_back(item.text());
  return Join(texts, separator);
}

std::string JoinSome(const std::vector<std::string>& parts, size_t shown, std::string_view none) {
  if (parts.empty()) return std::string(none);
  const auto end = parts.begin() + static_cast<ptrdiff_t>(std::min(shown, parts.size()));
  std::string joined = fmt::format("{}", fmt::join(parts.begin(), end, ","));
  if (parts.size() > shown) joined += fmt::format(" + {} more...", parts.size() - shown);
  return joined;
}

std::string FormatLabels(const Json& labels) {
  if (labels.empty()) return std::string(kNothing);
  std::vector<std::string> pairs;
  for (const auto& [key, value] : labels.members()) pairs.push_back(key + '=' + value.text());
  return Join(pairs);
}

std::string FormatSelector(const Json& selector) {
  const Result<api::Selector> compiled = api::Selector::Compile(ReadLabelSelector(selector));
  if (!compiled) return "<error>";
  std::string text = compiled->ToString();
  return text.empty() ? std::string(kNothing) : text;
}

std::string ContainerNames(const Json& containers) { return JoinMembers(containers, "name"); }

std::string ContainerImages(const Json& containers) { return JoinMembers(containers, "image"); }

}  // namespace berth::server
