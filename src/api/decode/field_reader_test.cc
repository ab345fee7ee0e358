// SPDX-License-Identifier: Apache-2.0
#include "api/decode/field_reader.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

struct Item {
  std::string name;
  std::optional<int32_t> count;
};

void ReadItem(FieldReader& r, Item& item) {
  r.Read("name", item.name);
  r.Read("count", item.count);
}

TEST(FieldReader, LeavesTargetsOfAbsentAndNullFields) {
  const Document document = ParseJson(R"({"a":null})").value();
  FieldReader r(document.root());
  std::string a = "before";
  int32_t b = 7;
  std::optional<Labels> c;

  r.Read("a", a);
  r.Read("b", b);
  r.Read("c", c);
  r.Child("d").Child("e").Read("f", b);

  EXPECT_TRUE(r.ok());
  EXPECT_EQ(a, "before");
  EXPECT_EQ(b, 7);
  EXPECT_FALSE(c);
}

TEST(FieldReader, ReadsObjectsAndLists) {
  const Document document = ParseJson(R"({"one":{"name":"x"},"many":[{"name":"a","count":1},null],"none":[]})").value();
  FieldReader r(document.root());
  std::optional<Item> one;
  std::vector<Item> many;
  std::optional<std::vector<Item>> none;

  r.Read("one", one, ReadItem);
  r.Read("many", many, ReadItem);
  r.Read("none", none, ReadItem);

  EXPECT_TRUE(r.ok());
  EXPECT_EQ(one->name, "x");
  ASSERT_EQ(many.size(), 2U);
  EXPECT_EQ(many[0].count, 1);
  EXPECT_EQ(many[1].name, "");
  EXPECT_TRUE(none && none->empty());
}

TEST(FieldReader, KeepsTheFirstErrorAndReadsNothingAfterIt) {
  const Document document = ParseJson(R"({"many":[{"name":"a"},{"count":"x"},{"name":5}],"later":"y"})").value();
  FieldReader r(document.root(), "args");
  std::vector<Item> many;
  std::string later;

  r.Read("many", many, ReadItem);
  r.Read("later", later);

  ASSERT_FALSE(r.ok());
  EXPECT_EQ(later, "");
  EXPECT_EQ(r.error().message, "args.many[1].count: expected a 32-bit integer, found a string");
  EXPECT_EQ(r.error("thing x").message, "thing x: args.many[1].count: expected a 32-bit integer, found a string");
}

TEST(FieldReader, ChildMustBeAnObject) {
  const Document document = ParseJson(R"({"a":{"b":[1]}})").value();
  FieldReader r(document.root());
  int64_t c = 0;

  r.Child("a").Child("b").Read("c", c);

  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().message, "a.b: expected an object, found a list");
}

TEST(FieldReader, CallersAddTheirOwnErrors) {
  const auto documents = ParseYaml("a:\n  weight: 5\n").value();
  FieldReader r(documents.at(0).root());

  FieldReader a = r.Child("a");
  a.Fail("weight is too small");

  EXPECT_EQ(r.error().message, "line 1: a: weight is too small");
}

TEST(FieldReader, ChecksTheRangeOfIntegers) {
  const Document document =
      ParseJson(R"({"a":-2147483648,"b":9223372036854775807,"c":1e3,"d":9223372036854775808})").value();
  FieldReader r(document.root());
  int32_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
  int64_t d = 0;

  r.Read("a", a);
  r.Read("b", b);
  r.Read("c", c);
  EXPECT_TRUE(r.ok());
  r.Read("d", d);

  EXPECT_EQ(a, -2147483647 - 1);
  EXPECT_EQ(b, 9223372036854775807);
  EXPECT_EQ(c, 1000);
  EXPECT_EQ(r.error().message, "d: expected an integer, found 9223372036854775808");
}

}  // namespace
}  // namespace berth::api
