// SPDX-License-Identifier: Apache-2.0
#include "api/document/value.h"

#include <gtest/gtest.h>

#include <limits>

namespace berth::api {
namespace {

TEST(Value, LookupsThatFindNothingYieldNull) {
  const auto document = ParseJson(R"({"spec": {"containers": [{"name": "a"}]}, "n": 1})");
  ASSERT_TRUE(document) << document.error().message;
  const Value root = document->root();

  EXPECT_EQ(root["spec"]["containers"][0]["name"].text(), "a");
  EXPECT_TRUE(root["absent"]["deeper"][3]["more"].is_null());
  EXPECT_TRUE(root["spec"]["containers"][1].is_null());
  EXPECT_TRUE(root["n"]["x"].is_null());
  EXPECT_TRUE(root["n"][0].is_null());
  EXPECT_TRUE(root["spec"]["containers"]["name"].is_null());
  EXPECT_EQ(root["spec"]["containers"].key(0), "");
  EXPECT_EQ(root.key(9), "");
  EXPECT_EQ(Value().size(), 0U);
  EXPECT_EQ(Value().ToJson(), "null");
  EXPECT_EQ(Value().line(), 0U);
  EXPECT_TRUE(Document().root().is_null());
}

TEST(Value, TheLastOfEqualNamesCountsAndAllAreKept) {
  const auto document = ParseJson(R"({"a": 1, "b": 2, "a": 3})");
  ASSERT_TRUE(document);

  EXPECT_EQ(document->root()["a"].text(), "3");
  EXPECT_EQ(document->root().size(), 3U);
  EXPECT_EQ(document->root().key(0), "a");
  EXPECT_EQ(document->root()[size_t{0}].text(), "1");
}

TEST(Value, IntegersAreExactWhateverTheirNotation) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const struct {
    const char* json;
    std::optional<int64_t> number;
  } cases[] = {
      {"0", 0},
      {"-0", 0},
      {"-17", -17},
      {"1e3", 1000},
      {"1.0", 1},
      {"1.50e1", 15},
      {"-2.5E+2", -250},
      {"0.0", 0},
      {"0e999999999999", std::nullopt},
      {"0.001e3", 1},
      {"120e-1", 12},
      {"9223372036854775807", kMax},
      {"-9223372036854775808", kMin},
      {"9223372036854775808", std::nullopt},
      {"9.223372036854775807e18", kMax},
      {"1e19", std::nullopt},
      {"1e2147483648", std::nullopt},
      {"1.5", std::nullopt},
      {"1e-1", std::nullopt},
      {"\"1\"", std::nullopt},
      {"true", std::nullopt},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.json);
    const auto document = ParseJson(c.json);
    ASSERT_TRUE(document) << document.error().message;

    EXPECT_EQ(document->root().AsInt(), c.number);
  }
}

TEST(Value, DoublesAreNearestAndFinite) {
  const struct {
    const char* json;
    std::optional<double> number;
  } cases[] = {
      {"0.1", 0.1},    {"-1e3", -1000.0},     {"9007199254740993", 9007199254740992.0}, {"1e400", std::nullopt},
      {"1e-400", 0.0}, {"null", std::nullopt}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.json);
    const auto document = ParseJson(c.json);
    ASSERT_TRUE(document) << document.error().message;

    EXPECT_EQ(document->root().AsDouble(), c.number);
  }
}

TEST(Value, OnlyBooleansAreBooleans) {
  const auto document = ParseJson(R"([true, false, "true", 1, null])");
  ASSERT_TRUE(document);

  EXPECT_EQ(document->root()[0].AsBool(), true);
  EXPECT_EQ(document->root()[1].AsBool(), false);
  for (size_t i = 2; i < 5; ++i) EXPECT_EQ(document->root()[i].AsBool(), std::nullopt);
}

TEST(Value, ToJsonKeepsOrderAndNumbersAsWritten) {
  const auto document =
      ParseJson("{ \"b\" : [1.50, -0, 1E5, 123456789012345678901234567890],\n\"a\": {} , \"c\\n\": [] }");
  ASSERT_TRUE(document);

  EXPECT_EQ(document->root().ToJson(), R"({"b":[1.50,-0,1E5,123456789012345678901234567890],"a":{},"c\n":[]})");
}

TEST(Value, KindsAreNamedAsGoNamesThem) { EXPECT_EQ(GoKindName(Value::Kind::kList), "array"); }

}  // namespace
}  // namespace berth::api
