// SPDX-License-Identifier: Apache-2.0
#include "api/document/field_error.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

TEST(FieldError, QuotesAsGoDoes) {
  struct Case {
    std::string_view text;
    std::string_view quoted;
  };
  const Case kCases[] = {
      {"plain", R"("plain")"},
      {R"(a"b\c)", R"("a\"b\\c")"},
      {"\a\b\t\n\v\f\r", R"("\a\b\t\n\v\f\r")"},
      {"\x01\x7f", R"("\x01\x7f")"},
      {"é日😀", "\"é日😀\""},
      {"\u00a0\u200b\U000e0001", R"("\u00a0\u200b\U000e0001")"},
      {"a\xff\xc3", R"("a\xff\xc3")"},
  };

  for (const Case& test : kCases) EXPECT_EQ(GoQuote(test.text), test.quoted);
}

TEST(FieldError, WritesListsAsJson) {
  EXPECT_EQ(InvalidField("a", std::vector<std::string>{"x\n", "<&>", "\u2028", "\xff"}, "bad"),
            R"(a: Invalid value: ["x\n","\u003c\u0026\u003e","\u2028","\ufffd"]: bad)");
  EXPECT_EQ(InvalidField("a", std::vector<std::string>{}, "bad"), "a: Invalid value: null: bad");
}

TEST(FieldError, ListsSupportedValues) {
  EXPECT_EQ(UnsupportedField("op", "x", {"a", "b"}), R"(op: Unsupported value: "x": supported values: "a", "b")");
}

}  // namespace
}  // namespace berth::api
