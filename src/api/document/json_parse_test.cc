// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/document/value.h"

namespace berth::api {
namespace {

using testing::HasSubstr;

std::string Repeat(std::string_view text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(ParseJson, AcceptsEveryKindAtTheTop) {
  for (const char* json : {"null", "true", "-1.5e+10", "\"x\"", "[]", "{}", "[1,[2,{\"a\":null}]]"}) {
    SCOPED_TRACE(json);
    const auto document = ParseJson(json);
    ASSERT_TRUE(document) << document.error().message;

    EXPECT_EQ(document->root().ToJson(), json);
  }
}

TEST(ParseJson, UnescapesStrings) {
  const auto document = ParseJson(R"({"k\u0041": "a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000z"})");
  ASSERT_TRUE(document) << document.error().message;

  EXPECT_EQ(document->root()["kA"].text(), std::string_view("a\"\\/\b\f\n\r\t\u00e9\U0001F600\0z", 17));
}

TEST(ParseJson, SkipsByteOrderMarkAndWhiteSpace) {
  const auto document = ParseJson("\xEF\xBB\xBF\r\n\t {\"a\":\r\n 1 }\r\n");
  ASSERT_TRUE(document) << document.error().message;

  EXPECT_EQ(document->root().ToJson(), R"({"a":1})");
}

TEST(ParseJson, RefusesWhatIsNotJson) {
  const std::string_view cases[] = {
      "",
      " \n",
      "\xEF\xBB\xBF",
      "{",
      "[",
      "]",
      "}",
      "{\"a\":1",
      "[1",
      "[1,]",
      "[,1]",
      "[1 2]",
      "{\"a\" 1}",
      "{\"a\":}",
      "{\"a\":1,}",
      "{a:1}",
      "{1:1}",
      "{} {}",
      "1 2",
      "1,2",
      "1],[2",
      "[1]]",
      "]1[",
      "01",
      "1.",
      ".5",
      "+1",
      "-",
      "1e",
      "0x10",
      "NaN",
      "Infinity",
      "nul",
      "nulll",
      "truefalse",
      "'a'",
      "\"a",
      "\"a\nb\"",
      "\"\\x\"",
      "\"\\u12\"",
      "\"\\ud800\"",
      "\"\\udc00\"",
      "\"\\ud800\\u0041\"",
      "\"\xff\"",
      "[\"a\x80\"]",
      "\"\xed\xa0\x80\"",
      "// c\n1",
      "[1}",
      std::string_view("1\0", 2),
      std::string_view("\0{}", 3),
      std::string_view("\"a\0b\"", 5),
      "{\"a\":1 \"b\":2}",
      "{\"a\"}",
      "\xEF\xBB",
  };
  for (const std::string_view json : cases) {
    SCOPED_TRACE(json);

    const auto document = ParseJson(json);

    ASSERT_FALSE(document) << document->root().ToJson();
    EXPECT_FALSE(document.error().message.empty());
  }
}

TEST(ParseJson, ErrorsSayWhereAndWhat) {
  const struct {
    const char* json;
    const char* message;
  } cases[] = {
      {"{\n\"a\": 1,\n\"b\": tru\n}", "line 3: invalid JSON near \"tru\""},
      {"{\n\"a\": 01\n}", "line 2: invalid JSON near \"01\""},
      {"{\"a\": 1\n\n", "line 3: the JSON document ends too early"},
      {"{}\nx", "line 2: invalid JSON near \"x\""},
      {"1,\n2", "invalid JSON near"},
      {"[\n\"\\q\"]", "line 2: a string has an invalid escape sequence"},
      {"{\n\"\xff\": 1}", "line 2: the text is not valid UTF-8"},
      {"{\"a\": \"b}", "not closed"},
      {"  ", "empty"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.json);

    const auto document = ParseJson(c.json);

    ASSERT_FALSE(document);
    EXPECT_THAT(document.error().message, HasSubstr(c.message));
  }
}

TEST(ParseJson, NestingHasALimit) {
  EXPECT_TRUE(ParseJson(Repeat("[", 200) + Repeat("]", 200)));
  const auto deep = ParseJson(Repeat("[", 201) + Repeat("]", 201));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().message, "line 1: nested deeper than 200 levels");
  EXPECT_FALSE(ParseJson(Repeat("[", 1'000'000)));
  EXPECT_FALSE(ParseJson(Repeat("{\"a\":", 1'000'000)));
}

TEST(ParseJson, LargeStringsAndMapsAreFine) {
  const std::string megabyte(1 << 20, 'x');
  std::string json = "{\"s\":\"" + megabyte + "\"";
  for (int i = 0; i < 10'000; ++i) json += ",\"k" + std::to_string(i) + "\":" + std::to_string(i);
  json += "}";

  const auto document = ParseJson(json);

  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->root()["s"].text(), megabyte);
  EXPECT_EQ(document->root()["k9999"].AsInt(), 9999);
  EXPECT_EQ(document->root().ToJson(), json);
}

TEST(ParseJson, InputBeyondTwoGigabytesIsRefused) {
  const char byte = '1';
  // The view is longer than the byte behind it, which must not be read.
  const auto document = ParseJson(std::string_view(&byte, (size_t{1} << 31) + 1));

  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, Code::kLimit);
}

}  // namespace
}  // namespace berth::api
