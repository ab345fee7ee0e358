// SPDX-License-Identifier: Apache-2.0
#include "server/patch/merge_patch.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace berth::server {
namespace {

std::string AfterMerge(std::string_view object, std::string_view patch) {
  const Outcome<Json> patched = ApplyMergePatch(ParseTree(object).value(), ParseTree(patch).value());
  return patched ? patched->ToText() : std::to_string(patched.error().code) + " " + patched.error().message;
}

TEST(MergePatch, MapsMergeAndNullDeletes) {
  EXPECT_EQ(AfterMerge(R"({"a":{"b":1,"c":2}})", R"({"a":{"b":null,"d":3},"e":4})"), R"({"a":{"c":2,"d":3},"e":4})");
  EXPECT_EQ(AfterMerge(R"({"a":1})", R"({"b":null})"), R"({"a":1})");
}

TEST(MergePatch, ListsAndScalarsReplace) {
  EXPECT_EQ(AfterMerge(R"({"a":[1,2]})", R"({"a":[3]})"), R"({"a":[3]})");
  EXPECT_EQ(AfterMerge(R"({"a":{"b":1}})", R"({"a":"x"})"), R"({"a":"x"})");
}

TEST(MergePatch, NewValuesLoseTheirNulls) {
  EXPECT_EQ(AfterMerge(R"({})", R"({"a":{"b":null,"c":[{"d":null},null]}})"), R"({"a":{"c":[{},null]}})");
  EXPECT_EQ(AfterMerge(R"({"a":1})", R"({"a":{"b":null}})"), R"({"a":{}})");
  EXPECT_EQ(AfterMerge(R"({"a":null})", R"({"a":{"b":null}})"), R"({"a":{}})");
  EXPECT_EQ(AfterMerge(R"({"a":{}})", R"({"a":[{"b":null}]})"), R"({"a":[{"b":null}]})");
}

TEST(MergePatch, OnlyMapsAndListsArePatches) {
  EXPECT_EQ(AfterMerge(R"({"a":1})", "null"), "400 Invalid JSON Patch");
  EXPECT_EQ(AfterMerge(R"({"a":1})", "5"), "400 Invalid JSON Patch");
  EXPECT_EQ(AfterMerge(R"({"a":1})", R"([{"b":null}])"), "[{}]");
}

}  // namespace
}  // namespace berth::server
