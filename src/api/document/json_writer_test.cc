// SPDX-License-Identifier: Apache-2.0
#include "api/document/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace berth::api {
namespace {

TEST(JsonWriter, WritesCompactJson) {
  JsonWriter writer;
  writer.BeginObject().Key("a").Int(-1).Key("b").BeginArray().UInt(18446744073709551615U).Null().Bool(true).EndArray();
  writer.Key("c").BeginObject().EndObject().Key("d").Raw("[1]").Key("e").String("x").EndObject();

  EXPECT_EQ(writer.Take(), R"({"a":-1,"b":[18446744073709551615,null,true],"c":{},"d":[1],"e":"x"})");
}

TEST(JsonWriter, IndentsWhenAsked) {
  JsonWriter writer(2);
  writer.BeginObject().Key("a").BeginArray().Int(1).Int(2).EndArray().Key("b").BeginArray().EndArray().EndObject();

  EXPECT_EQ(writer.Take(), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}");
}

TEST(JsonWriter, EscapesStringsAndRepairsUtf8) {
  const struct {
    std::string_view text;
    std::string_view json;
  } cases[] = {
      {"", R"("")"},
      {"plain \xC3\xA9 \xF0\x9F\x98\x80 /", "\"plain \xC3\xA9 \xF0\x9F\x98\x80 /\""},
      {"\"\\\n\r\t\b", R"("\"\\\n\r\t\u0008")"},
      {std::string_view("\0\x1f\x7f", 3), R"("\u0000\u001f\u007f")"},
      {"\xC2\x85\xE2\x80\xA8\xEF\xBB\xBF", R"("\u0085\u2028\ufeff")"},
      {"a\xFF z", "\"a\xEF\xBF\xBD z\""},
      {"\xC3", "\"\xEF\xBF\xBD\""},
      {"\xC0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
      {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
      {"\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.json);
    EXPECT_EQ(JsonWriter().String(c.text).Take(), c.json);
  }
}

TEST(JsonWriter, DoublesAreShortestAndReadBackExactly) {
  const struct {
    double number;
    const char* json;
  } cases[] = {
      {0, "0"},
      {-0.0, "-0"},
      {1, "1"},
      {0.1, "0.1"},
      {100, "100"},
      {1e20, "100000000000000000000"},
      {-18446744073709551616.0, "-18446744073709552000"},
      {9007199254740992.0, "9007199254740992"},
      {1e21, "1e+21"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {1.5e-10, "1.5e-10"},
      {1e100, "1e+100"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
      {std::numeric_limits<double>::denorm_min(), "5e-324"},
      {std::numeric_limits<double>::infinity(), "null"},
      {std::numeric_limits<double>::quiet_NaN(), "null"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.json);
    EXPECT_EQ(JsonWriter().Double(c.number).Take(), c.json);
  }
}

}  // namespace
}  // namespace berth::api
