// SPDX-License-Identifier: Apache-2.0
#include "api/document/json_tree.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

TEST(Json, MembersAreSortedAndTheLastOfEqualNamesCounts) {
  EXPECT_EQ(ParseTree(R"({"b":1,"a":2,"b":3})")->ToText(), R"({"a":2,"b":3})");
  EXPECT_EQ((Json{{"z", Json::Int(1)}, {"a", Json::Bool(true)}}).ToText(), R"({"a":true,"z":1})");
}

TEST(Json, ReadingWhatIsAbsentYieldsNull) {
  const Json pod = ParseTree(R"({"spec":{"containers":[{"name":"c"}]}})").value();

  EXPECT_EQ(pod["spec"]["containers"][size_t{0}]["name"].text(), "c");
  EXPECT_TRUE(pod["spec"]["containers"][size_t{1}]["name"].is_null());
  EXPECT_TRUE(pod["status"]["phase"].is_null());
  EXPECT_EQ(pod["status"]["phase"].text(), "");
  EXPECT_TRUE(pod["spec"].items().empty());
}

TEST(Json, NumbersKeepTheirDigits) {
  const Json list = ParseTree("[1.50,123456789012345678901234567890,-7,1e3]").value();

  EXPECT_EQ(list.ToText(), "[1.50,123456789012345678901234567890,-7,1e3]");
  EXPECT_EQ(list[size_t{2}].AsInt(), -7);
  EXPECT_EQ(list[size_t{1}].AsInt(), std::nullopt);
  EXPECT_EQ(list[size_t{3}].IntOr(5), 5);
}

TEST(Json, MakeCreatesThePath) {
  Json object;
  object.Make({"a", "b"}) = Json::Int(1);
  object.Set("a2", "x");
  object.Make("list").Append(Json::Bool(false));

  EXPECT_EQ(object.ToText(), R"({"a":{"b":1},"a2":"x","list":[false]})");
}

TEST(Json, DefaultsFillWhatIsAbsentOrNull) {
  Json object = ParseTree(R"({"a":1,"b":null})").value();
  object.SetDefault("a", Json::Int(2));
  object.SetDefault("b", Json::Int(2));
  object.SetDefault("c", Json::Int(2));

  EXPECT_EQ(object.ToText(), R"({"a":1,"b":2,"c":2})");
}

TEST(Json, EraseTellsWhetherItWasThere) {
  Json object = ParseTree(R"({"a":1,"b":2})").value();

  EXPECT_TRUE(object.Erase("a"));
  EXPECT_FALSE(object.Erase("a"));
  EXPECT_FALSE(Json::Int(1).Erase("a"));
  EXPECT_EQ(object.ToText(), R"({"b":2})");
}

TEST(Json, ACopyDoesNotChangeWithTheOriginal) {
  const std::string text = R"({"list":[{"a":"1"},"2"],"map":{"b":"3"}})";
  const Json original = ParseTree(text).value();
  const auto changed = [&](auto&& change) {
    Json copy = original;
    change(copy);
    EXPECT_EQ(original.ToText(), text);
    EXPECT_NE(copy, original);
    return copy.ToText();
  };

  EXPECT_EQ(changed([](Json& tree) { tree.Make({"map", "b"}) = Json::Int(4); }),
            R"({"list":[{"a":"1"},"2"],"map":{"b":4}})");
  EXPECT_EQ(changed([](Json& tree) { tree.Find("map")->Erase("b"); }), R"({"list":[{"a":"1"},"2"],"map":{}})");
  EXPECT_EQ(changed([](Json& tree) { tree.Make("list").Append(Json()); }),
            R"({"list":[{"a":"1"},"2",null],"map":{"b":"3"}})");
  EXPECT_EQ(changed([](Json& tree) { tree.Make("list").mutable_items()[0].Set("a", "5"); }),
            R"({"list":[{"a":"5"},"2"],"map":{"b":"3"}})");
  EXPECT_EQ(changed([](Json& tree) { tree.Make("list").mutable_items()[1].mutable_text() += "x"; }),
            R"({"list":[{"a":"1"},"2x"],"map":{"b":"3"}})");
  EXPECT_EQ(changed([](Json& tree) { tree.mutable_members().pop_back(); }), R"({"list":[{"a":"1"},"2"]})");
}

TEST(Json, ACopySharesWhatItDoesNotChange) {
  const Json original = ParseTree(R"({"list":[{"a":"1"}],"map":{"b":"3"}})").value();
  Json copy = original;
  copy.SetDefault("map", Json());
  EXPECT_EQ(&copy.members(), &original.members());
  EXPECT_FALSE(copy.Erase("c"));
  EXPECT_EQ(copy.Find("c"), nullptr);
  EXPECT_EQ(&copy.members(), &original.members());

  copy.Make("map").Set("b", "4");

  EXPECT_EQ(&copy["list"].items(), &original["list"].items());
  EXPECT_NE(&copy["map"].members(), &original["map"].members());
}

TEST(Json, ComparesByContent) {
  EXPECT_EQ(ParseTree(R"({"a":[1,{"b":null}],"c":"x"})").value(), ParseTree(R"({"c":"x","a":[1,{"b":null}]})").value());
  EXPECT_NE(ParseTree(R"({"a":1})").value(), ParseTree(R"({"a":"1"})").value());
  EXPECT_NE(ParseTree(R"({"a":null})").value(), ParseTree("{}").value());
}

TEST(Json, SizeIsThatOfItsText) {
  for (const std::string_view text : {"null", "true", "-1.5e3", R"("a")", "[]", "{}", R"([1,[],{"a":[null,false]}])"}) {
    EXPECT_EQ(SizeOf(ParseTree(text).value()).bytes, text.size()) << text;
  }
  const TreeSize size = SizeOf(ParseTree(R"([1,[],{"a":[null,false]}])").value());
  EXPECT_EQ(size.levels, 3U);
  EXPECT_EQ(size.nodes, 7U);
}

TEST(Json, IsMeasuredAnewWhereItHasChanged) {
  Json tree = ParseTree(R"({"a":[{"b":"c"},{"d":{}}],"e":{"f":1}})").value();
  const Json copy = tree;
  const TreeSize before = SizeOf(tree);

  tree.Make("a").mutable_items()[1].Make("d").Set("deep", "er");
  EXPECT_EQ(SizeOf(tree).bytes, tree.ToText().size());
  EXPECT_EQ(SizeOf(tree).levels, 4U);
  tree.Erase("a");
  tree.Make({"e", "f"}) = Json::String("longer");
  EXPECT_EQ(SizeOf(tree).bytes, tree.ToText().size());
  EXPECT_EQ(SizeOf(copy), before);
}

}  // namespace
}  // namespace berth::api
