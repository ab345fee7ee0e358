// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/input/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace berth::simulate {

Result<Fields> Fields::Open(api::Value value, const std::string& file, std::string where,
                            std::initializer_list<std::string_view> known) {
  const Fields fields(value, file, std::move(where));
  if (!value.is_map()) return fields.Wrong("", "must be a map");
  for (size_t i = 0; i < value.size(); ++i) {
    if (std::ranges::find(known, value.key(i)) == known.end()) {
      return fields.Wrong(value.key(i), fmt::format("unknown field, expected one of {}", fmt::join(known, ", ")));
    }
    for (size_t j = 0; j < i; ++j) {
      if (value.key(j) == value.key(i)) return fields.Wrong(value.key(i), "is there twice");
    }
  }
  return fields;
}

Result<std::optional<Duration>> Fields::ReadDuration(std::string_view name) const {
  const api::Value value = map_[name];
  if (value.is_null()) return std::nullopt;
  const Result<Duration> duration = ParseDuration(value.text());
  if (!duration || *duration < Duration{}) {
    return Wrong(name, fmt::format("\"{}\" is no duration, such as 90s or 1m30s", value.text()));
  }
  return *duration;
}

Result<Duration> Fields::RequireDuration(std::string_view name) const {
  const std::optional<Duration> duration = BERTH_TRY(ReadDuration(name));
  if (!duration) return Wrong(name, "is missing");
  return *duration;
}

Result<std::string> Fields::RequireText(std::string_view name) const {
  const api::Value value = map_[name];
  if (value.text().empty()) return Wrong(name, "is missing");
  return std::string(value.text());
}

Result<bool> Fields::ReadBool(std::string_view name) const {
  const api::Value value = map_[name];
  if (value.is_null()) return false;
  if (!value.is_bool()) return Wrong(name, "must be true or false");
  return *value.AsBool();
}

Result<Fields> Fields::Inner(std::string_view name, std::initializer_list<std::string_view> known) const {
  return Open(map_[name], file_, fmt::format("{}.{}", where_, name), known);
}

std::string Fields::origin() const { return OriginOf(map_); }

std::string Fields::OriginOf(api::Value value) const {
  return value.line() == 0 ? file_ : fmt::format("{}:{}", file_, value.line());
}

std::unexpected<Error> Fields::Wrong(std::string_view name, std::string_view message) const {
  std::string path = where_;
  if (!path.empty() && !name.empty()) path += '.';
  path += name;
  const bool is_there = !name.empty() && map_[name].line() != 0;
  return Invalid(
      fmt::format("{}: {}{}{}", is_there ? OriginOf(map_[name]) : origin(), path, path.empty() ? "" : ": ", message));
}

std::string At(std::string_view list, size_t index) { return fmt::format("{}[{}]", list, index); }

}  // namespace berth::simulate
