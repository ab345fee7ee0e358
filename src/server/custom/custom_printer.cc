// SPDX-License-Identifier: Apache-2.0
#include "server/custom/custom_printer.h"

#include <charconv>
#include <memory>
#include <utility>

#include "server/custom/json_path.h"
#include "server/tables/cells.h"

namespace berth::server {
namespace {

Json DefaultColumns() {
  return Json::MakeList({Json{{"name", Json::String("Age")},
                              {"type", Json::String("date")},
                              {"jsonPath", Json::String(".metadata.creationTimestamp")}}});
}

Json TruncatedNumber(const Json& value) {
  if (value.AsInt()) return value;
  double number = 0;
  const std::string& text = value.text();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number > -9.2e18 && number < 9.2e18)) return {};
  return Json::Int(static_cast<int64_t>(number));
}

Json CellOf(const std::string& type, const Json& value, Time now) {
  if (type == "string") {
    if (value.is_null()) return {};
    return value.is_map() || value.is_list() || value.is_bool() ? Json::String(value.ToText())
                                                                : Json::String(value.text());
  }
  if (type == "integer") return value.is_number() ? TruncatedNumber(value) : Json();
  if (type == "number") return value.is_number() ? value : Json();
  if (type == "boolean") return value.is_bool() ? value : Json();
  if (type == "date" && value.is_string()) {
    return ParseTime(value.text()) ? Json::String(Since(value, now)) : Json::String("<invalid>");
  }
  return {};
}

}  // namespace

CustomPrinter::CustomPrinter(const Json& columns) : columns_(columns.empty() ? DefaultColumns() : columns) {
  struct Source {
    std::string type;
    JsonPath path;
  };
  auto sources = std::make_shared<std::vector<Source>>();
  descriptions_.reserve(columns_.size());
  printer_.group = "custom";  // Unlike that of kinds without columns of their own.
  printer_.plural = "custom";
  printer_.columns.push_back(kNameColumn);
  for (const Json& column : std::as_const(columns_).items()) {
    const std::string& path = column["jsonPath"].text();
    sources->push_back({column["type"].text(), JsonPath(path)});
    const std::string& given = column["description"].text();
    if (columns.empty()) {
      descriptions_.emplace_back(kCreationDescription);
    } else {
      descriptions_.push_back(given.empty() ? "Custom resource definition column (in JSONPath format): " + path
                                            : given);
    }
    printer_.columns.push_back({.name = column["name"].text(),
                                .type = column["type"].text(),
                                .priority = static_cast<int>(column["priority"].IntOr(0)),
                                .format = column["format"].text(),
                                .description = descriptions_.back()});
  }
  printer_.cells = [sources](const Json& object, Time now) {
    Json::List cells = Row(Name(object));
    for (const Source& source : *sources) {
      const std::vector<const Json*> found = source.path.Find(object);
      cells.push_back(found.empty() ? Json() : CellOf(source.type, *found.front(), now));
    }
    return cells;
  };
}

}  // namespace berth::server
