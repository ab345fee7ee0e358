// SPDX-License-Identifier: Apache-2.0
#include "api/document/json_scan.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

TEST(JsonScan, AValueEndsWithItsBracketQuoteOrWord) {
  EXPECT_EQ(EndOfJsonValue(R"({"a":["}]",{}]} x)", 0), 15U);
  EXPECT_EQ(EndOfJsonValue(R"("a\"b\\" x)", 0), 8U);
  EXPECT_EQ(EndOfJsonValue("null x", 0), 4U);
  EXPECT_EQ(EndOfJsonValue("[12,3]", 1), 3U);
  EXPECT_EQ(EndOfJsonValue("-1", 0), 2U);
  for (const char* unfinished : {"", "{", R"({"a":"}")", "[[]", R"("a\")"}) EXPECT_FALSE(EndOfJsonValue(unfinished, 0));
}

TEST(JsonScan, AMemberIsFoundAtItsOwnLevelOnly) {
  const std::string_view text = R"({"a":{"b":1}, "s" : "b", "b" :[2]})";

  EXPECT_EQ(FindJsonMember(text, 0, "b"), text.find("[2]"));
  EXPECT_EQ(FindJsonMember(text, 5, "b"), text.find("1"));
  EXPECT_FALSE(FindJsonMember(text, 0, "c"));
  for (const char* other : {"", "{", "{}", "[]", R"({"b")", R"({"b" 1})", R"({"a":)", R"({b:1})", "{,}"}) {
    EXPECT_FALSE(FindJsonMember(other, 0, "b")) << other;
  }
}

TEST(JsonScan, TheTextOfAMemberIsEmptyIfThereIsNone) {
  EXPECT_EQ(JsonMember(R"( {"a":{"b":1}, "b" : [2] })", "b"), "[2]");
  EXPECT_EQ(JsonMember(R"({"a":1})", "b"), "");
  EXPECT_EQ(JsonMember(R"({"b":[2)", "b"), "");
  EXPECT_EQ(JsonMember("", "b"), "");
}

}  // namespace
}  // namespace berth::api
