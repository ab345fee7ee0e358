// SPDX-License-Identifier: Apache-2.0
#include "server/patch/json_patch.h"
#include "server/model/test_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace berth::server {
namespace {

// The object after the operations, or the code of the refusal.
std::string After(std::string_view object, std::string_view operations) {
  const Outcome<Json> patched = ApplyJsonPatch(TreeOf(object), TreeOf(operations));
  return patched ? patched->ToText() : std::to_string(patched.error().code);
}

TEST(JsonPatch, AddsToMapsAndLists) {
  EXPECT_EQ(After(R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])"), R"({"a":1,"b":2})");
  EXPECT_EQ(After(R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])"), R"({"a":[1,2,3]})");
  EXPECT_EQ(After(R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])"), R"({"a":[1,2]})");
  EXPECT_EQ(After(R"({"a":[1]})", R"([{"op":"add","path":"/a/3","value":2}])"), "422");
  EXPECT_EQ(After(R"({"a":1})", R"([{"op":"add","path":"/b/c","value":2}])"), "422");
}

TEST(JsonPatch, PointersAreEscaped) {
  EXPECT_EQ(After(R"({"x/y":{"~1":0}})", R"([{"op":"replace","path":"/x~1y/~01","value":1}])"), R"({"x/y":{"~1":1}})");
  EXPECT_EQ(After(R"({})", R"([{"op":"add","path":"/a~","value":1},{"op":"add","path":"/a~2","value":1}])"),
            R"({"a~":1,"a~2":1})");
}

TEST(JsonPatch, RemovesWhatIsThere) {
  EXPECT_EQ(After(R"({"a":1,"b":[1,2]})", R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/b/0"}])"),
            R"({"b":[2]})");
  EXPECT_EQ(After(R"({})", R"([{"op":"remove","path":"/a"}])"), "422");
  EXPECT_EQ(After(R"({"a":1})", R"([{"op":"remove","path":""}])"), "422");
}

TEST(JsonPatch, MovesAndCopies) {
  EXPECT_EQ(After(R"({"a":{"x":1}})", R"([{"op":"move","from":"/a/x","path":"/b"}])"), R"({"a":{},"b":1})");
  EXPECT_EQ(After(R"({"a":[1,2,3]})", R"([{"op":"move","from":"/a/0","path":"/a/-"}])"), R"({"a":[2,3,1]})");
  EXPECT_EQ(After(R"({"a":{"x":1}})", R"([{"op":"move","from":"/a","path":"/a/b"}])"), "422");
  EXPECT_EQ(After(R"({"a":{"x":1}})", R"([{"op":"copy","from":"/a","path":"/b"}])"), R"({"a":{"x":1},"b":{"x":1}})");
}

TEST(JsonPatch, TestsCompareWholeValues) {
  EXPECT_EQ(After(R"({"a":{"x":[1,null]}})", R"([{"op":"test","path":"/a","value":{"x":[1,null]}}])"),
            R"({"a":{"x":[1,null]}})");
  EXPECT_EQ(After(R"({"a":1})", R"([{"op":"test","path":"/a","value":1.0}])"), "422");
  EXPECT_EQ(After(R"({"a":1})", R"([{"op":"test","path":"/a"}])"), "422");
  EXPECT_EQ(After(R"({"a":1})", R"([{"op":"test","path":"","value":{"a":1}}])"), R"({"a":1})");
}

TEST(JsonPatch, IsAsLenientAsUpstream) {
  EXPECT_EQ(After(R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/-1","value":3}])"), R"({"a":[1,3]})");
  EXPECT_EQ(After(R"({"a":[1,2]})", R"([{"op":"add","path":"/a/-1","value":3}])"), R"({"a":[1,2,3]})");
  EXPECT_EQ(After(R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/+1"}])"), R"({"a":[1]})");
  EXPECT_EQ(After(R"({})", R"([{"op":"replace","path":"/a","value":1}])"), R"({"a":1})");
  EXPECT_EQ(After(R"({})", R"([{"op":"copy","from":"/x","path":"/a"}])"), R"({"a":null})");
  EXPECT_EQ(After(R"({})", R"([{"op":"test","path":"/a","value":null}])"), R"({})");
  EXPECT_EQ(After(R"({"b":1})", R"([{"op":"replace","path":"a/b","value":2}])"), R"({"b":2})");
}

TEST(JsonPatch, ReplacesTheWholeObject) {
  EXPECT_EQ(After(R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}},{"op":"remove","path":"/b"}])"),
            R"({})");
  EXPECT_EQ(After(R"({"a":1})", R"([{"op":"replace","path":"","value":5}])"), "422");
}

TEST(JsonPatch, MalformedPatchesAreBadRequests) {
  const Outcome<Json> not_list = ApplyJsonPatch(TreeOf("{}"), TreeOf("{}"));
  ASSERT_FALSE(not_list);
  EXPECT_EQ(not_list.error().code, 400);
  EXPECT_EQ(not_list.error().message, "json: cannot unmarshal object into Go value of type jsonpatch.Patch");
  EXPECT_EQ(After("{}", "[5]"), "400");
  EXPECT_EQ(After("{}", "null"), "{}");
}

TEST(JsonPatch, OperationsThatDoNotApplyAreInvalid) {
  for (const std::string_view operations :
       {R"([null])", R"([{}])", R"([{"op":"foo","path":"/a"}])", R"([{"op":"add","value":1}])",
        R"([{"op":"add","path":5,"value":1}])", R"([{"op":"move","path":"/a"}])"}) {
    SCOPED_TRACE(operations);
    const Outcome<Json> patched = ApplyJsonPatch(TreeOf("{}"), TreeOf(operations));
    ASSERT_FALSE(patched);
    EXPECT_EQ(patched.error().code, 422);
    EXPECT_EQ(patched.error().reason, "Invalid");
    EXPECT_EQ(patched.error().message, "the server rejected our request due to an error in our request");
  }
}

TEST(JsonPatch, OperationsAndCopiesAreLimited) {
  Json many = Json::MakeList();
  for (int i = 0; i < 10001; ++i) many.Append(TreeOf(R"({"op":"add","path":"/a","value":1})"));
  const Outcome<Json> patched = ApplyJsonPatch(TreeOf("{}"), many);
  ASSERT_FALSE(patched);
  EXPECT_EQ(patched.error().code, 413);
  EXPECT_EQ(patched.error().message,
            "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001");

  const Json large{{"a", Json::String(std::string(400'000, 'x'))}};
  Json copies = Json::MakeList();
  for (int i = 0; i < 7; ++i) copies.Append(TreeOf(R"({"op":"copy","from":"/a","path":"/b"})"));
  EXPECT_TRUE(ApplyJsonPatch(large, copies));
  copies.Append(copies.items().front());
  EXPECT_FALSE(ApplyJsonPatch(large, copies));
}

// Puts the member `a` below a chain of as many maps, again and again.
Json Deepening(int times, int levels) {
  std::string chain = "{}";
  std::string pointer;
  for (int i = 1; i < levels; ++i) {
    chain = R"({"a":)" + chain + "}";
    pointer += "/a";
  }
  const Json add{{"op", Json::String("add")}, {"path", Json::String("/b")}, {"value", TreeOf(chain)}};
  const Json inward{
      {"op", Json::String("move")}, {"from", Json::String("/a")}, {"path", Json::String("/b" + pointer + "/a")}};
  const Json back = TreeOf(R"({"op":"move","from":"/b","path":"/a"})");
  Json operations = Json::MakeList();
  for (int i = 0; i < times; ++i) {
    for (const Json* operation : {&add, &inward, &back}) operations.Append(*operation);
  }
  return operations;
}

TEST(JsonPatch, NoObjectBecomesDeeperThanParsersAllow) {
  const Outcome<Json> deep = ApplyJsonPatch(TreeOf(R"({"a":1})"), Deepening(2, 99));
  ASSERT_TRUE(deep) << deep.error().message;
  EXPECT_EQ(SizeOf(*deep).levels, 199U);
  EXPECT_TRUE(ParseTree(deep->ToText()));

  for (const int times : {3, 3000}) {
    const Outcome<Json> deeper = ApplyJsonPatch(TreeOf(R"({"a":1})"), Deepening(times, 99));
    ASSERT_FALSE(deeper);
    EXPECT_EQ(deeper.error().code, 400);
    EXPECT_EQ(deeper.error().message, "the patch nests the object deeper than 200 levels");
  }
  Json copies = Json::MakeList();
  for (int i = 0; i < 300; ++i) copies.Append(TreeOf(R"({"op":"copy","from":"/a","path":"/a/b"})"));
  const Outcome<Json> copied = ApplyJsonPatch(TreeOf(R"({"a":{}})"), copies);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, 400);
}

TEST(JsonPatch, OperationsOnLongListsAreLimited) {
  Json::List items(300'000, Json::Int(1));
  Json operations = Json::MakeList();
  for (int i = 0; i < 16; ++i) operations.Append(TreeOf(R"({"op":"remove","path":"/a/0"})"));
  EXPECT_TRUE(ApplyJsonPatch(Json{{"a", Json::MakeList(items)}}, operations));
  for (int i = 0; i < 18; ++i) operations.Append(operations.items().front());
  const Outcome<Json> patched = ApplyJsonPatch(Json{{"a", Json::MakeList(items)}}, operations);
  ASSERT_FALSE(patched);
  EXPECT_EQ(patched.error().code, 413);
}

}  // namespace
}  // namespace berth::server
