// SPDX-License-Identifier: Apache-2.0
#include "server/patch/field_set.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::server {
namespace {

FieldSet Set(std::string_view text) { return FieldSet::Parse(ParseTree(text).value()).value(); }

std::string Text(const FieldSet& set) { return set.json().ToText(); }

std::vector<std::string> Paths(const FieldSet& set) {
  std::vector<std::string> paths;
  set.ForEach([&](FieldSet::Path path) { paths.push_back(FieldPathText(path)); });
  return paths;
}

TEST(FieldSet, PathsOfNamesMakeATree) {
  const FieldSet set = FieldSet::OfNames({{"metadata"}, {"metadata", "name"}, {"spec", "nodeName"}});

  EXPECT_EQ(Text(set), R"({"f:metadata":{".":{},"f:name":{}},"f:spec":{"f:nodeName":{}}})");
}

TEST(FieldSet, WhatOthersWroteIsSpelledAsOurs) {
  EXPECT_EQ(Text(Set(R"({"k:{\"protocol\": \"TCP\",\"port\":80}":{},"i:007":null,"v: \"a<b\"":{".":{}}})")),
            R"({"i:7":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{},"v:\"a\\u003cb\"":{}})");
}

TEST(FieldSet, ElementsOfUnknownTypesAreLeftOut) {
  EXPECT_EQ(Text(Set(R"({"f:a":{"x:b":{"f:c":{}}},"y:z":{}})")), R"({"f:a":{}})");
}

TEST(FieldSet, WhatIsNoSetIsRefused) {
  for (const std::string_view text :
       {R"([])", R"({"f:a":1})", R"({"a":{}})", R"({"fa":{}})", R"({"k:[1]":{}})", R"({"v:{":{}})", R"({"i:x":{}})"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(FieldSet::Parse(ParseTree(text).value()));
  }
}

TEST(FieldSet, AnInnerElementIsInTheSetOnlyIfItSaysSo) {
  const FieldSet set = Set(R"({"f:a":{".":{},"f:b":{}},"f:c":{"f:d":{}}})");
  const std::string_view a[] = {"f:a"};
  const std::string_view c[] = {"f:c"};
  const std::string_view d[] = {"f:c", "f:d"};

  EXPECT_TRUE(set.Has(a));
  EXPECT_FALSE(set.Has(c));
  EXPECT_TRUE(set.Has(d));
  EXPECT_FALSE(set.Has({}));
}

TEST(FieldSet, AddMergesTrees) {
  FieldSet set = Set(R"({"f:a":{},"f:c":{"f:d":{}}})");

  set.Add(Set(R"({"f:a":{"f:b":{}},"f:c":{},"f:e":{}})"));

  EXPECT_EQ(Text(set), R"({"f:a":{".":{},"f:b":{}},"f:c":{".":{},"f:d":{}},"f:e":{}})");
}

TEST(FieldSet, SubtractTakesExactlyTheFields) {
  FieldSet set = Set(R"({"f:a":{".":{},"f:b":{},"f:c":{}},"f:d":{"f:e":{}},"f:f":{}})");

  set.Subtract(Set(R"({"f:a":{},"f:d":{"f:e":{}}})"));
  EXPECT_EQ(Text(set), R"({"f:a":{"f:b":{},"f:c":{}},"f:f":{}})");

  set.Subtract(Set(R"({"f:a":{},"f:f":{"f:g":{}}})"));
  EXPECT_EQ(Text(set), R"({"f:a":{"f:b":{},"f:c":{}},"f:f":{}})");
}

TEST(FieldSet, SubtractTreesTakesAllBelowToo) {
  FieldSet set = Set(R"({"f:a":{".":{},"f:b":{}},"f:c":{".":{},"f:d":{},"f:e":{}}})");

  set.SubtractTrees(Set(R"({"f:a":{},"f:c":{"f:d":{}}})"));

  EXPECT_EQ(Text(set), R"({"f:c":{".":{},"f:e":{}}})");
}

TEST(FieldSet, IntersectionIsWhatIsInBoth) {
  const FieldSet left = Set(R"({"f:a":{".":{},"f:b":{},"f:c":{}},"f:d":{"f:e":{}}})");
  const FieldSet right = Set(R"({"f:a":{".":{},"f:c":{}},"f:d":{},"f:x":{}})");

  EXPECT_EQ(Text(left.Intersection(right)), R"({"f:a":{".":{},"f:c":{}}})");
  EXPECT_TRUE(left.Intersection(FieldSet()).empty());
}

TEST(FieldSet, PathsComeLevelByLevelAndNumbersByValue) {
  const FieldSet set =
      Set(R"({"f:z":{},"f:a":{"k:{\"port\":80}":{".":{},"f:x":{}},"k:{\"port\":443}":{},"k:{\"port\":8}":{}},)"
          R"("f:s":{"v:\"b\\\"\"":{},"v:2":{},"i:3":{}}})");

  EXPECT_EQ(Paths(set), (std::vector<std::string>{".z", ".a[port=8]", ".a[port=80]", ".a[port=443]", ".a[port=80].x",
                                                  ".s[=2]", R"(.s[="b\""])", ".s[3]"}));
}

TEST(FieldSet, PathsQuoteTextsAsGoDoes) {
  const FieldSet set = Set(R"({"f:s":{"v:\"\\u0007\\u000b\\u001f\\u007f\\u00a0\\ufeff\"":{}}})");

  EXPECT_EQ(Paths(set), (std::vector<std::string>{R"(.s[="\a\v\x1f\x7f\u00a0\ufeff"])"}));
}

}  // namespace
}  // namespace berth::server
