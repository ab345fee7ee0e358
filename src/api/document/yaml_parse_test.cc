// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/document/value.h"

namespace berth::api {
namespace {

using testing::HasSubstr;

// The documents as JSON, one per line, or the error.
std::string Json(std::string_view yaml) {
  const auto documents = ParseYaml(yaml);
  if (!documents) return "error: " + documents.error().message;
  std::string out;
  for (const Document& document : *documents) out += (out.empty() ? "" : "\n") + document.root().ToJson();
  return out;
}

TEST(ParseYaml, ReadsAManifest) {
  EXPECT_EQ(Json("apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels: {app: web, 'n': 1}\n"
                 "spec:\n  containers:\n  - name: a # comment\n    resources:\n      requests:\n        cpu: 100m\n"
                 "        memory: \"1\"\n  - {name: b, args: [--v=2, \"x\"]}\n"),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"app":"web","n":1}},)"
            R"("spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"100m","memory":"1"}}},)"
            R"({"name":"b","args":["--v=2","x"]}]}})");
}

TEST(ParseYaml, ReadsEveryDocumentOfAStreamAndDropsEmptyOnes) {
  EXPECT_EQ(Json(""), "");
  EXPECT_EQ(Json("# only a comment\n"), "");
  EXPECT_EQ(Json("---\n---\na: 1\n---\n# nothing\n---\nnull\n---\n[2]\n...\n"), "{\"a\":1}\n[2]");
}

TEST(ParseYaml, AcceptsByteOrderMarkAndCrLf) {
  EXPECT_EQ(Json("\xEF\xBB\xBF"
                 "a: 1\r\nb:\r\n- x\r\n- |\r\n  t\r\n"),
            R"({"a":1,"b":["x","t\n"]})");
}

TEST(ParseYaml, ValuesKnowTheirLineAndMembersThatOfTheirName) {
  const auto documents = ParseYaml("a: 1\nb:\n  c:\n  - x\n  - y\n---\nz: 0\n");
  ASSERT_TRUE(documents);
  const Value root = (*documents)[0].root();

  EXPECT_EQ(root["a"].line(), 1U);
  EXPECT_EQ(root["b"].line(), 2U);
  EXPECT_EQ(root["b"]["c"][1].line(), 5U);
  EXPECT_EQ((*documents)[1].root()["z"].line(), 7U);
}

TEST(ParseYaml, QuotesAndTagsDecideTheKind) {
  EXPECT_EQ(Json("[yes, 'yes', \"1\", !!str 1, !!int \"1\", ! 1, !!bool on, !x 1, '', !!str , ~]"),
            R"([true,"yes","1","1",1,1,true,"1","","",null])");
}

TEST(ParseYaml, KeysThatAreNotStringsBecomeStrings) {
  EXPECT_EQ(Json("1: a\ntrue: b\n1.5: c\n\"2\": d\n0x10: e"), R"({"1":"a","true":"b","1.5":"c","2":"d","16":"e"})");
  EXPECT_THAT(Json("a: 1\n~: 2"), HasSubstr("error: line 2: a map key is null"));
  EXPECT_THAT(Json("? [a]\n: 2"), HasSubstr("error: line 1: a map key must be a scalar"));
  EXPECT_THAT(Json("a: &x {}\n*x : 2"), HasSubstr("error: line 2: a map key must be a scalar"));
}

TEST(ParseYaml, DuplicateKeysAreKept) { EXPECT_EQ(Json("a: 1\na: 2"), R"({"a":1,"a":2})"); }

TEST(ParseYaml, AliasesAreExpanded) {
  EXPECT_EQ(Json("a: &x {b: [1]}\nc: *x\nd: [*x, *x]\n"), R"({"a":{"b":[1]},"c":{"b":[1]},"d":[{"b":[1]},{"b":[1]}]})");
  EXPECT_EQ(Json("&k key: &v 1.50\n*k : *v\n*v : x\n"), R"({"key":1.5,"key":1.5,"1.5":"x"})");
  EXPECT_EQ(Json("- &a 1\n- *a\n- &a 2\n- *a\n"), "[1,1,2,2]");
  EXPECT_EQ(Json("&a [&a [1], *a]"), "[[1],[1]]");
  EXPECT_EQ(Json("a: *nope"), "error: line 1: unknown anchor 'nope'");
  EXPECT_EQ(Json("a: &a 1\n---\nb: *a"), "error: line 3: unknown anchor 'a'");
  EXPECT_EQ(Json("a: &a\n  b: *a"), "error: line 2: anchor 'a' contains itself");
}

TEST(ParseYaml, MergeKeysInsertMembers) {
  EXPECT_EQ(Json("x: &x {a: 1, b: 2}\nz:\n  <<: *x\n  b: 3\n"), R"({"x":{"a":1,"b":2},"z":{"a":1,"b":2,"b":3}})");
  EXPECT_EQ(Json("<<: {a: 1}\nb: 2"), R"({"a":1,"b":2})");
  EXPECT_EQ(Json("<<: [{a: first}, {a: second}]"), R"({"a":"second","a":"first"})");
  EXPECT_EQ(Json("\"<<\": 1"), R"({"<<":1})");
  EXPECT_THAT(Json("<<: 1"), HasSubstr("error: line 1: '<<' needs a map"));
  EXPECT_THAT(Json("<<: [1]"), HasSubstr("'<<' needs a map"));
}

TEST(ParseYaml, ExponentialAliasesAreRefusedQuickly) {
  std::string yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) yaml += (j > 0 ? ", " : "") + alias;
    yaml += "]\n";
  }
  EXPECT_THAT(Json(yaml), HasSubstr("aliases make the document too large"));

  std::string text = "s: &s " + std::string(1 << 20, 'x') + "\nl:\n";
  for (int i = 0; i < 1000; ++i) text += "- *s\n";
  EXPECT_THAT(Json(text), HasSubstr("aliases make the document too large"));
}

TEST(ParseYaml, NestingHasALimitThatCountsAliases) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(Json(nested(200)), nested(200));
  EXPECT_EQ(Json(nested(201)), "error: line 1: nested deeper than 200 levels");
  EXPECT_THAT(Json(std::string(1'000'000, '[')), HasSubstr("error: line 1: "));
  EXPECT_THAT(Json(std::string(1'000'000, '-')), HasSubstr("\"-----"));

  std::string chain = "- &a0 []\n";
  for (int i = 1; i < 300; ++i) {
    chain += "- &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_THAT(Json(chain), HasSubstr("error: line 200: nested deeper than 200 levels"));
}

TEST(ParseYaml, ErrorsNameTheLine) {
  EXPECT_THAT(Json("a: 1\n b: 2\n"), HasSubstr("error: line 2: "));
  EXPECT_THAT(Json("a: 1\nb: [1, 2\n"), HasSubstr("error: line 3: "));
  EXPECT_THAT(Json("a:\n\t- b\n"), HasSubstr("error: line 2: found a tab; indent with spaces"));
  EXPECT_THAT(Json("a: 1\nb: \"x\n"), HasSubstr("error: line 3: "));
  EXPECT_THAT(Json("a: 1\nb: \xff\n"), HasSubstr("error: line 2: "));
  EXPECT_THAT(Json(std::string_view("a: 1\nb: \0\n", 10)), HasSubstr("error: line 2: control characters"));
  EXPECT_EQ(Json("a: 1\nb: .inf"), "error: line 2: .inf has no form in JSON; quote it if it is text");
  EXPECT_EQ(Json("a: 1\nb: !!int x"), "error: line 2: 'x' is not a valid !!int");
}

TEST(ParseYaml, LargeStringsAndMapsAreFine) {
  std::string yaml = "s: " + std::string(1 << 20, 'x') + "\n";
  for (int i = 0; i < 10'000; ++i) yaml += "k" + std::to_string(i) + ": " + std::to_string(i) + "\n";

  const auto documents = ParseYaml(yaml);

  ASSERT_TRUE(documents) << documents.error().message;
  EXPECT_EQ((*documents)[0].root()["s"].text().size(), size_t{1} << 20);
  EXPECT_EQ((*documents)[0].root()["k9999"].AsInt(), 9999);
}

TEST(ParseYaml, InputBeyondTwoGigabytesIsRefused) {
  const char byte = '1';
  const auto documents = ParseYaml(std::string_view(&byte, (size_t{1} << 31) + 1));

  ASSERT_FALSE(documents);
  EXPECT_EQ(documents.error().code, Code::kLimit);
}

TEST(ParseJsonOrYaml, PicksTheFormat) {
  const auto json = ParseJsonOrYaml("\n {\"a\": 017e}");
  ASSERT_TRUE(json) << "valid YAML, though not JSON";
  EXPECT_EQ((*json)[0].root().ToJson(), R"({"a":"017e"})");

  const auto exact = ParseJsonOrYaml("\xEF\xBB\xBF{\"a\": 1.50}");
  ASSERT_TRUE(exact);
  EXPECT_EQ((*exact)[0].root().ToJson(), R"({"a":1.50})");

  const auto yaml = ParseJsonOrYaml("a: 1.50\n---\nb: 2");
  ASSERT_TRUE(yaml);
  EXPECT_EQ(yaml->size(), 2U);

  const auto neither = ParseJsonOrYaml("{\"a\": 1\n\"b\": 2}");
  ASSERT_FALSE(neither);
  EXPECT_EQ(neither.error().message, "line 2: invalid JSON near \"\\\"b\\\": 2}\"");

  const auto empty = ParseJsonOrYaml("");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->empty());
}

}  // namespace
}  // namespace berth::api
