// SPDX-License-Identifier: Apache-2.0
#include "cel/device_expression.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cel/arena.h"
#include "cel/parser.h"

namespace berth::cel {
namespace {

const api::Quantity kMemory = *api::Quantity::Parse("40Gi");

Device Gpu() {
  Device device("gpu.example.com");
  device.AddString("model", "A100");
  device.AddInt("index", 3);
  device.AddBool("ecc", true);
  device.AddVersion("driverVersion", "550.54.15");
  device.AddString("other.example.com/model", "B200");
  device.AddCapacity("memory", kMemory);
  return device;
}

// "true", "false", or the error of compiling or evaluating.
std::string Outcome(std::string_view text, const Device& device, const CompileOptions& options = {}) {
  const auto expression = DeviceExpression::Compile(text, options);
  if (!expression) return expression.error().detail;
  const Result<bool> matches = expression->Matches(device);
  return matches ? (*matches ? "true" : "false") : matches.error().message;
}

TEST(DeviceExpression, SeesAttributesByDomainOfTheDriverOrTheirOwn) {
  const Device gpu = Gpu();

  EXPECT_EQ(Outcome(R"(device.attributes["gpu.example.com"].model == "A100")", gpu), "true");
  EXPECT_EQ(Outcome(R"(device.attributes["other.example.com"].model == "B200")", gpu), "true");
  EXPECT_EQ(Outcome(R"(device.attributes["gpu.example.com"].driverVersion.isGreaterThan(semver("550.0.0")))", gpu),
            "true");
  EXPECT_EQ(Outcome(R"(device.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) < 0)", gpu), "true");
  EXPECT_EQ(Outcome(R"(device.attributes["unknown"].size() == 0 && !("unknown" in device.attributes))", gpu), "true");
}

TEST(DeviceExpression, HintsAtOptionalChainingWhereAKeyIsMissing) {
  EXPECT_EQ(
      Outcome(R"(device.attributes["gpu.example.com"].speed > 1)", Gpu()),
      "no such key: speed. consider using CEL optional chaining (.? followed by orValue()) or guarding the check with "
      "has() for optional fields");
}

TEST(DeviceExpression, FailsOnADeviceWithAnAttributeThatMakesNoSense) {
  Device bad("gpu.example.com");
  bad.AddVersion("v", "1.2");
  Device blank("gpu.example.com");
  blank.AddUnset("v");

  EXPECT_EQ(Outcome("true", bad), "attribute v: parse semantic version: No Major.Minor.Patch elements found");
  EXPECT_EQ(Outcome("true", blank), "attribute v: unsupported attribute value");
}

TEST(DeviceExpression, ShowsWhereAnExpressionIsWrong) {
  EXPECT_EQ(Outcome("device.driver ==\n  'größe' && nope", Gpu()),
            "compilation failed: ERROR: <input>:2:14: undeclared reference to 'nope' (in container '')\n"
            " |   'größe' && nope\n"
            " | .....\uff0e\uff0e......^");
}

TEST(DeviceExpression, TakesNamesOfTypesForThoseOfAnyElements) {
  EXPECT_NE(Outcome("map.all(x, true)", Gpu()).find("expression of type 'type(map(dyn, dyn))' cannot be range"),
            std::string::npos);
  EXPECT_EQ(Outcome("type([1]) == list", Gpu()), "true");
}

TEST(DeviceExpression, KnowsNewerFeaturesByGateUnlessItIsStored) {
  const CompileOptions old{.is_stored = false, .consumable_capacity = false};
  const CompileOptions lists{.is_stored = false, .list_type_attributes = true};
  const Device gpu = Gpu();

  EXPECT_EQ(Outcome("device.allowMultipleAllocations", gpu), "false");
  EXPECT_NE(Outcome("device.allowMultipleAllocations", gpu, old).find("undefined field"), std::string::npos);
  EXPECT_NE(Outcome("[1].includes(1)", gpu, old).find("undeclared reference to 'includes'"), std::string::npos);
  EXPECT_EQ(Outcome("[1].includes(1)", gpu, lists), "true");
}

TEST(DeviceExpression, CountsCostAndStopsAtTheLimit) {
  const auto expression = DeviceExpression::Compile("lists.range(100).all(x, x >= 0)", {.estimates_cost = true});
  ASSERT_TRUE(expression);
  std::optional<uint64_t> cost;
  ASSERT_TRUE(expression->Matches(Gpu(), &cost));
  const auto limited = DeviceExpression::Compile("lists.range(100).all(x, x >= 0)", {.cost_limit = *cost - 1});

  EXPECT_LE(*cost, expression->max_cost());
  EXPECT_EQ(limited->Matches(Gpu()).error().message, "operation cancelled: actual cost limit exceeded");
}

TEST(DeviceExpression, DerivesAttributes) {
  const auto version =
      DeviceExpression::Compile(R"(device.attributes["gpu.example.com"].driverVersion)", {.derives_attribute = true});
  const auto list = DeviceExpression::Compile(R"(["a", "b"])", {.derives_attribute = true});
  ASSERT_TRUE(version && list);

  EXPECT_EQ(*version->Derive(Gpu()), AttributeValue(Version{"550.54.15"}));
  EXPECT_EQ(*list->Derive(Gpu()), AttributeValue(std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(DeviceExpression::Compile("1.5", {.derives_attribute = true}));
}

TEST(DeviceExpression, NestsUpToTheLimit) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '(') + "true" + std::string(static_cast<size_t>(depth), ')');
  };

  EXPECT_EQ(Outcome(nested(kNestingMax - 1), Gpu()), "true");
  EXPECT_EQ(Outcome(nested(kNestingMax), Gpu()),
            "compilation failed: ERROR: <input>:-1:0: expression recursion limit exceeded: 250");
}

TEST(DeviceExpression, RefusesTextsThatAreTooLong) {
  const std::string fits = "true" + std::string(kCharactersMax - 4, ' ');

  EXPECT_EQ(Outcome(fits, Gpu()), "true");
  EXPECT_NE(Outcome(fits + " ", Gpu()).find("expression code point size exceeds limit"), std::string::npos);
}

TEST(DeviceExpression, RefusesMacrosThatGrowBeyondMeasure) {
  std::string text = "optional.of(1)";
  for (int i = 0; i < 40; ++i) text += ".optMap(x, x)";  // Each one copies all in front of it.

  EXPECT_NE(Outcome(text + ".hasValue()", Gpu()).find("expression is too large"), std::string::npos);
}

TEST(DeviceExpression, RefusesTypesThatTakeTooLongToCompare) {
  std::string text = "[]";
  for (int i = 0; i < 30; ++i) {
    const std::string name = "a" + std::to_string(i);
    text = "cel.bind(" + name + ", " + text + ", {" + name + ": " + name + "})";  // Its type is twice the one before.
  }

  EXPECT_NE(Outcome(text + ".size() > 0", Gpu()).find("expression is too complex"), std::string::npos);
}

TEST(DeviceExpression, EndsListsThatCostLittleAndHoldMuch) {
  std::string text = "[1]";
  for (int i = 0; i < 45; ++i)
    text =
        "cel.bind(a" + std::to_string(i) + ", " + text + ", a" + std::to_string(i) + " + a" + std::to_string(i) + ")";

  // 2^45 elements: the size is known at once, looking at each is not allowed.
  EXPECT_EQ(Outcome(text + ".size() > 0", Gpu()), "true");
  EXPECT_EQ(Outcome(text + ".reverse().size() > 0", Gpu()), "operation cancelled: actual cost limit exceeded");
  EXPECT_EQ(Outcome("cel.bind(l, " + text + ", l == l)", Gpu()), "operation cancelled: actual cost limit exceeded");
  EXPECT_EQ(Outcome("(" + text + ").max() == 1", Gpu()), "operation cancelled: actual cost limit exceeded");
}

TEST(DeviceExpression, EndsComparisonsOfSharedPartsThatWouldTakeForever) {
  std::string text = "[[1], [1]]";
  for (int i = 0; i < 60; ++i) {
    const std::string name = "a" + std::to_string(i);
    text = "cel.bind(" + name + ", dyn(" + text + "), [" + name + ", " + name + "])";
  }

  EXPECT_EQ(Outcome("cel.bind(l, dyn(" + text + "), l == l)", Gpu()),
            "operation cancelled: actual cost limit exceeded");
}

TEST(DeviceExpression, EndsTextsThatGrowBeyondMemory) {
  std::string text = "'aaaaaaaaaaaaaaaa'";
  for (int i = 0; i < 16; ++i)
    text =
        "cel.bind(s" + std::to_string(i) + ", " + text + ", s" + std::to_string(i) + " + s" + std::to_string(i) + ")";

  EXPECT_EQ(Outcome("cel.bind(s, " + text + ", s.replace('', s).size() > 0)", Gpu()),
            "operation cancelled: actual cost limit exceeded");
}

TEST(DeviceExpression, EvaluatesTheSameAgain) {
  const auto expression =
      DeviceExpression::Compile(R"(["b", "a"].map(x, x + device.driver).sort()[0].startsWith("a"))");
  ASSERT_TRUE(expression);
  const Device gpu = Gpu();

  for (int i = 0; i < 3; ++i) EXPECT_TRUE(*expression->Matches(gpu));
}

}  // namespace
}  // namespace berth::cel
