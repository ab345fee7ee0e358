// SPDX-License-Identifier: Apache-2.0
// Compares tables with those of upstream, recorded by tests/tables/record.py.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "server/tables/table.h"

namespace berth::server {
namespace {

std::vector<Json> ReadRecording() {
  const auto root = std::filesystem::path(__FILE__).parent_path() / "../../..";
  std::ifstream file(root / "tests/tables/recorded.jsonl");
  std::vector<Json> lists;
  for (std::string line; std::getline(file, line);) lists.push_back(ParseTree(line).value());
  return lists;
}

Json ColumnsOf(const Resource& resource) {
  Json::List columns;
  for (const Column& column : Columns(resource)) {
    columns.push_back(Json::MakeList({Json::String(column.name), Json::String(column.type), Json::String(column.format),
                                      Json::Int(column.priority)}));
  }
  return Json::MakeList(std::move(columns));
}

// The rows without objects.
std::vector<std::string> RowsAt(const Resource& resource, const Json& list, Time now) {
  Json::List objects;
  for (const Json& row : list["rows"].items()) objects.push_back(row["object"]);
  Json table =
      MakeListTable(resource, std::move(objects), Json::MakeMap(), {.include = IncludeObject::kNone, .now = now});
  std::vector<std::string> rows;
  for (Json row : table["rows"].items()) {
    row.Erase("object");
    rows.push_back(row.ToText());
  }
  return rows;
}

void CheckList(const Catalog& catalog, const Json& list) {
  const Resource& resource = catalog.Get(list["group"].text(), list["plural"].text());
  const Time now = ParseTime(list["now"].text()).value();
  SCOPED_TRACE(list["plural"].text());

  EXPECT_EQ(ColumnsOf(resource).ToText(), list["columns"].ToText());
  // The recorder's clock may have been a second away from where the server read it.
  const std::vector<std::string> before = RowsAt(resource, list, now - Seconds(1));
  const std::vector<std::string> at = RowsAt(resource, list, now);
  const std::vector<std::string> after = RowsAt(resource, list, now + Seconds(1));
  for (size_t i = 0; i < at.size(); ++i) {
    Json expected = list["rows"][i];
    expected.Erase("object");
    const std::string text = expected.ToText();
    if (before[i] != text && after[i] != text) {
      EXPECT_EQ(at[i], text);
    }
  }
}

TEST(RecordedTables, ColumnsAndCellsAreThoseOfUpstream) {
  const Catalog catalog;
  const std::vector<Json> lists = ReadRecording();

  ASSERT_GT(lists.size(), 40u);
  for (const Json& list : lists) CheckList(catalog, list);
}

}  // namespace
}  // namespace berth::server
