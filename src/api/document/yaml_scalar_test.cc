// SPDX-License-Identifier: Apache-2.0
#include "api/document/yaml_scalar.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

using Kind = Value::Kind;

TEST(YamlScalar, PlainScalarsFollowYaml11) {
  const struct {
    const char* text;
    Kind kind;
    const char* value;
  } cases[] = {
      {"", Kind::kNull, ""},
      {"~", Kind::kNull, ""},
      {"null", Kind::kNull, ""},
      {"NULL", Kind::kNull, ""},
      {"nULL", Kind::kString, "nULL"},
      {"yes", Kind::kBool, "true"},
      {"y", Kind::kBool, "true"},
      {"On", Kind::kBool, "true"},
      {"TRUE", Kind::kBool, "true"},
      {"n", Kind::kBool, "false"},
      {"Off", Kind::kBool, "false"},
      {"no", Kind::kBool, "false"},
      {"yEs", Kind::kString, "yEs"},
      {"0", Kind::kNumber, "0"},
      {"-0", Kind::kNumber, "0"},
      {"+12", Kind::kNumber, "12"},
      {"1_000", Kind::kNumber, "1000"},
      {"0x1F", Kind::kNumber, "31"},
      {"-0x1f", Kind::kNumber, "-31"},
      {"017", Kind::kNumber, "15"},
      {"0o17", Kind::kNumber, "15"},
      {"0b101", Kind::kNumber, "5"},
      {"08", Kind::kNumber, "8"},
      {"9223372036854775807", Kind::kNumber, "9223372036854775807"},
      {"-9223372036854775808", Kind::kNumber, "-9223372036854775808"},
      {"18446744073709551615", Kind::kNumber, "18446744073709551615"},
      {"18446744073709551616", Kind::kNumber, "18446744073709552000"},
      {"0xFFFFFFFFFFFFFFFFFF", Kind::kString, "0xFFFFFFFFFFFFFFFFFF"},
      {"1.50", Kind::kNumber, "1.5"},
      {".5", Kind::kNumber, "0.5"},
      {"5.", Kind::kNumber, "5"},
      {"1e3", Kind::kNumber, "1000"},
      {"1e21", Kind::kNumber, "1e+21"},
      {"1e-7", Kind::kNumber, "1e-7"},
      {"-0.0", Kind::kNumber, "-0"},
      {"1e400", Kind::kString, "1e400"},
      {"1e-400", Kind::kNumber, "0"},
      {".", Kind::kString, "."},
      {"-", Kind::kString, "-"},
      {"0x", Kind::kString, "0x"},
      {"1e", Kind::kString, "1e"},
      {"100m", Kind::kString, "100m"},
      {"1.2.3", Kind::kString, "1.2.3"},
      {"12:30:45", Kind::kString, "12:30:45"},
      {"2001-12-14", Kind::kString, "2001-12-14"},
      {"2001-12-14T21:59:43Z", Kind::kString, "2001-12-14T21:59:43Z"},
      {"<<", Kind::kString, "<<"},
      {"_1", Kind::kString, "_1"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto scalar = ResolveYamlScalar("", true, c.text);
    ASSERT_TRUE(scalar) << scalar.error().message;

    EXPECT_EQ(scalar->kind, c.kind);
    EXPECT_EQ(scalar->text, c.value);
  }
}

TEST(YamlScalar, NotFiniteNumbersAreErrors) {
  for (const char* text : {".inf", "-.Inf", "+.INF", ".nan", ".NaN"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(ResolveYamlScalar("", true, text));
    EXPECT_TRUE(ResolveYamlScalar("", false, text)) << "quoted";
  }
}

TEST(YamlScalar, TagsDecideTheKindOrFail) {
  const std::string prefix = "tag:yaml.org,2002:";
  const auto resolve = [&](const char* tag, const char* text) {
    const auto scalar = ResolveYamlScalar(prefix + tag, false, text);
    return scalar ? scalar->text : "error";
  };

  EXPECT_EQ(resolve("str", "12"), "12");
  EXPECT_EQ(resolve("int", "0x10"), "16");
  EXPECT_EQ(resolve("int", "1.5"), "error");
  EXPECT_EQ(resolve("float", "1"), "1");
  EXPECT_EQ(resolve("float", "x"), "error");
  EXPECT_EQ(resolve("bool", "yes"), "true");
  EXPECT_EQ(resolve("bool", "1"), "error");
  EXPECT_EQ(resolve("null", "~"), "");
  EXPECT_EQ(resolve("null", "x"), "error");
  EXPECT_EQ(resolve("timestamp", "2001-01-01"), "2001-01-01");
  EXPECT_EQ(resolve("binary", "aGk="), "error");
  EXPECT_EQ(ResolveYamlScalar("!mine", false, "12")->kind, Kind::kString);
}

TEST(YamlScalar, KeysBecomeStrings) {
  const auto key = [](const char* text) {
    const auto name = YamlKey(*ResolveYamlScalar("", true, text));
    return name ? *name : "error";
  };

  EXPECT_EQ(key("name"), "name");
  EXPECT_EQ(key("0x10"), "16");
  EXPECT_EQ(key("yes"), "true");
  EXPECT_EQ(key("1.50"), "1.5");
  EXPECT_EQ(key("1e6"), "1e+06");
  EXPECT_EQ(key("~"), "error");
}

}  // namespace
}  // namespace berth::api
