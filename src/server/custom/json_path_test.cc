// SPDX-License-Identifier: Apache-2.0
#include "server/custom/json_path.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

std::string Found(std::string_view path) {
  static const Json kObject =
      ParseTree(R"({"a":{"b.c":1,"list":[{"t":"x","v":1},{"t":"y","v":2}]},"flag":true})").value();
  std::string text;
  for (const Json* const value : JsonPath(path).Find(kObject)) text += value->ToText() + ";";
  return text;
}

TEST(JsonPath, NamesIndexesAndFilters) {
  EXPECT_EQ(Found(".flag"), "true;");
  EXPECT_EQ(Found(".a.b\\.c"), "1;");
  EXPECT_EQ(Found(".a['b.c']"), "1;");
  EXPECT_EQ(Found(".a['b\\.c']"), "1;");
  EXPECT_EQ(Found(".a.list[0].v"), "1;");
  EXPECT_EQ(Found(".a.list[-1].v"), "2;");
  EXPECT_EQ(Found(".a.list[*].v"), "1;2;");
  EXPECT_EQ(Found(R"(.a.list[?(@.t=="y")].v)"), "2;");
  EXPECT_EQ(Found(R"(.a.list[?(@.t!='y')].v)"), "1;");
}

TEST(JsonPath, WhatMakesNoSenseFindsNothing) {
  for (const std::string_view path :
       {".x", ".a[", ".a[?(", ".a.list[?(@.t)]", ".a.list[9]", ".flag.x", ".a.list[1:2]"}) {
    EXPECT_EQ(Found(path), "") << path;
  }
}

}  // namespace
}  // namespace berth::server
