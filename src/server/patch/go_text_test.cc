// SPDX-License-Identifier: Apache-2.0
#include "server/patch/go_text.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

TEST(GoText, PrintsTreesAsGoDoes) {
  const Json tree = ParseTree(R"({"b":[1,"x y",null,true,{}],"a":{"c":1.5}})").value();

  EXPECT_EQ(GoText(tree), "map[a:map[c:1.5] b:[1 x y <nil> true map[]]]");
  EXPECT_EQ(GoStringText(tree), "map[a:map[c:%!s(float64=1.5)] b:[%!s(int64=1) x y %!s(<nil>) %!s(bool=true) map[]]]");
}

TEST(GoText, PrintsNumbersAsGoDoes) {
  for (const auto& [digits, text] : {std::pair("1.0", "1"), std::pair("1e20", "100000000000000000000"),
                                     std::pair("1e21", "1e+21"), std::pair("0.0001", "0.0001"),
                                     std::pair("0.00001", "1e-05"), std::pair("-0", "0"), std::pair("-2.50", "-2.5")}) {
    EXPECT_EQ(GoText(Json::Number(digits)), text);
  }
}

TEST(GoText, NamesTypes) {
  EXPECT_EQ(GoType(Json::Number("1")), "int64");
  EXPECT_EQ(GoType(Json::Number("1.0")), "float64");
  EXPECT_EQ(GoType(Json::MakeMap()), "map[string]interface {}");
}

}  // namespace
}  // namespace berth::server
