// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/cron_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <vector>

#include "api/field_error.h"
#include "base/ascii.h"

namespace berth::server {
namespace {

struct Bounds {
  int64_t low;
  int64_t high;
  std::span<const std::string_view> names{};  // Of low, low + 1 and so on.
};

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::array<Bounds, 5> kFields = {
    {{0, 59}, {0, 23}, {1, 31}, {.low = 1, .high = 12, .names = kMonths}, {.low = 0, .high = 6, .names = kDays}}};
constexpr std::array<std::string_view, 7> kNamed = {"@yearly", "@annually", "@monthly", "@weekly",
                                                    "@daily",  "@midnight", "@hourly"};

std::vector<std::string_view> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> SplitNonEmpty(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts = Split(text, separators);
  std::erase_if(parts, [](std::string_view part) { return part.empty(); });
  return parts;
}

Result<int64_t> ParseNumber(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return Invalid(fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: {}", text, api::GoQuote(text),
                               error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
  }
  if (number < 0) return Invalid(fmt::format("negative number ({}) not allowed: {}", number, text));
  return number;
}

Result<int64_t> ParseNumberOrName(std::string_view text, const Bounds& bounds) {
  const auto name = std::ranges::find(bounds.names, Lower(text));
  if (name != bounds.names.end()) return bounds.low + (name - bounds.names.begin());
  return ParseNumber(text);
}

// `3`, `1-5`, `*` or any of them with `/2`.
Result<void> CheckRange(std::string_view text, const Bounds& bounds) {
  const std::vector<std::string_view> parts = Split(text, "/");
  const std::vector<std::string_view> ends = Split(parts.front(), "-");
  int64_t first = bounds.low;
  int64_t last = bounds.high;
  if (ends.front() != "*" && ends.front() != "?") {
    first = BERTH_TRY(ParseNumberOrName(ends.front(), bounds));
    if (ends.size() > 2) return Invalid(fmt::format("too many hyphens: {}", text));
    last = ends.size() == 1 ? first : BERTH_TRY(ParseNumberOrName(ends[1], bounds));
  }
  int64_t step = 1;
  if (parts.size() > 2) return Invalid(fmt::format("too many slashes: {}", text));
  if (parts.size() == 2) {
    step = BERTH_TRY(ParseNumber(parts[1]));
    if (ends.size() == 1) last = bounds.high;
  }
  if (first < bounds.low) {
    return Invalid(fmt::format("beginning of range ({}) below minimum ({}): {}", first, bounds.low, text));
  }
  if (last > bounds.high) {
    return Invalid(fmt::format("end of range ({}) above maximum ({}): {}", last, bounds.high, text));
  }
  if (first > last) {
    return Invalid(fmt::format("beginning of range ({}) beyond end of range ({}): {}", first, last, text));
  }
  if (step == 0) return Invalid(fmt::format("step of range should be a positive number: {}", text));
  return {};
}

Result<void> CheckNamed(std::string_view schedule) {
  if (std::ranges::find(kNamed, schedule) != kNamed.end() || schedule.starts_with("@every ")) return {};
  return Invalid(fmt::format("unrecognized descriptor: {}", schedule));
}

}  // namespace

Result<void> CheckCronSchedule(std::string_view schedule) {
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t end = schedule.find(' ');
    schedule.remove_prefix(end == schedule.npos ? schedule.size() : end);
    while (schedule.starts_with(' ')) schedule.remove_prefix(1);
  }
  if (schedule.starts_with('@')) return CheckNamed(schedule);
  const std::vector<std::string_view> fields = SplitNonEmpty(schedule, " \t\n\v\f\r");
  if (fields.size() != kFields.size()) {
    return Invalid(fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(), fmt::join(fields, " ")));
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    for (const std::string_view range : SplitNonEmpty(fields[i], ",")) BERTH_CHECK_OK(CheckRange(range, kFields[i]));
  }
  return {};
}

}  // namespace berth::server
