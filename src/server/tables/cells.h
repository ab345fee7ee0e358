// SPDX-License-Identifier: Apache-2.0
// Parts from which the cells of tables are made.

#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/time.h"
#include "server/model/find_condition.h"
#include "server/model/json.h"

namespace berth::server {

// What is shown where there is nothing.
inline constexpr std::string_view kNothing = "<none>";

// Two or three significant figures, such as 90s, 5m30s, 3d4h.
std::string HumanDuration(Duration duration);
// How long ago a timestamp was; `<unknown>` if it is unset.
std::string Since(const Json& timestamp, Time now);
// The age of the object.
std::string Age(const Json& object, Time now);
std::string Name(const Json& object);
bool IsDeleted(const Json& object);

// The text, or `other` if it is empty.
std::string TextOr(const Json& text, std::string_view other);
std::string Join(const std::vector<std::string>& parts, std::string_view separator = ",");
// The texts of a list.
std::string JoinTexts(const Json& list, std::string_view separator = ",");
// `a,b,c + 2 more...` if there are more than `shown`; `none` without any.
std::string JoinSome(const std::vector<std::string>& parts, size_t shown, std::string_view none);

// `a=b,c=d`, or `<none>`.
std::string FormatLabels(const Json& labels);
// A label selector as kubectl prints it, or `<none>`.
std::string FormatSelector(const Json& selector);
// The names and the images of containers.
std::string ContainerNames(const Json& containers);
std::string ContainerImages(const Json& containers);

inline Json Cell(std::string text) { return Json::String(std::move(text)); }
inline Json Cell(std::string_view text) { return Json::String(text); }
inline Json Cell(const char* text) { return Json::String(text); }
inline Json Cell(const Json& text) { return Json::String(text.text()); }
inline Json Cell(std::same_as<bool> auto value) { return Json::Bool(value); }
inline Json Cell(std::same_as<int64_t> auto value) { return Json::Int(value); }

// A row of texts, numbers (int64_t) and booleans.
template <class... Values>
Json::List Row(Values&&... values) {
  Json::List row;
  row.reserve(sizeof...(values));
  (row.push_back(Cell(std::forward<Values>(values))), ...);
  return row;
}

}  // namespace berth::server
