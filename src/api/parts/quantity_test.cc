// SPDX-License-Identifier: Apache-2.0
#include "api/parts/quantity.h"

#include <gtest/gtest.h>

#include <limits>

namespace berth::api {
namespace {

Quantity Parsed(std::string_view text) {
  const Result<Quantity> quantity = Quantity::Parse(text);
  EXPECT_TRUE(quantity) << text;
  return quantity.value_or(Quantity());
}

TEST(Quantity, ReadsRoundsAndPrintsAsKubernetesDoes) {
  struct Case {
    std::string_view text;
    std::string_view printed;
    int64_t value;
    int64_t milli;
  };
  const Case cases[] = {
      {"0", "0", 0, 0},
      {"-", "0", 0, 0},
      {"E", "0", 0, 0},
      {"100m", "100m", 1, 100},
      {"1.5", "1500m", 2, 1500},
      {"1.555", "1.555", 2, 1555},
      {"+5", "+5", 5, 5000},
      {"-1.4m", "-1400u", -1, -2},
      {"1000", "1k", 1000, 1000000},
      {"30.E", "30.E", 0, 0},
      {"1000E", "1", 0, 0},
      {"0.1n", "1n", 1, 1},
      {"12e6", "12e6", 12000000, 12000000000},
      {"1e-10", "1e-9", 1, 1},
      {"1e4294967299", "1e4294967299", 1000, 1000000},
      {"1Gi", "1Gi", 1073741824, 1073741824000},
      {"1.5Gi", "1536Mi", 1610612736, 1610612736000},
      {"1024Mi", "1Gi", 1073741824, 1073741824000},
      {"0.5Ki", "512", 512, 512000},
      {"0.0001Ki", "102400u", 1, 103},
      {"47Ei", "9223372036854775807", std::numeric_limits<int64_t>::max(), -1000},
      {"9223372036854775808", "9223372036854775808", std::numeric_limits<int64_t>::min(), 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Quantity quantity = Parsed(c.text);

    EXPECT_EQ(quantity.String(), c.printed);
    EXPECT_EQ(quantity.Value(), c.value);
    EXPECT_EQ(quantity.MilliValue(), c.milli);
  }
}

TEST(Quantity, RefusesWithTheErrorsOfKubernetes) {
  constexpr std::string_view kFormat =
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  constexpr std::string_view kNumber = "unable to parse numeric part of quantity";
  constexpr std::string_view kSuffix = "unable to parse quantity's suffix";
  struct Case {
    std::string_view text;
    std::string_view error;
  };
  const Case cases[] = {
      {"", kFormat},     {" 1", kFormat},
      {"1 ", kFormat},   {"1.2.3", kFormat},
      {"1_0", kFormat},  {"x", kFormat},
      {"Ei", kNumber},   {".Pi", kNumber},
      {"e-10", kNumber}, {"1K", kSuffix},
      {"1e", kSuffix},   {"1Kim", kSuffix},
      {"1-5", kSuffix},  {"1e9223372036854775808", kSuffix},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<Quantity> quantity = Quantity::Parse(c.text);

    ASSERT_FALSE(quantity);
    EXPECT_EQ(quantity.error().message, c.error);
  }
}

TEST(Quantity, ComparesAmountsWhateverTheirSpelling) {
  struct Case {
    std::string_view left;
    std::string_view right;
    int order;
  };
  const Case cases[] = {
      {"1", "1000m", 0},
      {"1Ki", "1024", 0},
      {"1Ki", "1k", 1},
      {"-1", "1n", -1},
      {"1e30", "1E", 1},
      {"0", "0e-20", 0},
      {"1000000000000000", "999999999999999999999999n", 1},
      {"16Ei", "9223372036854775807", 0},
      {"1e2000000000", "1", 1},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.left);
    EXPECT_EQ(Parsed(c.left).Cmp(Parsed(c.right)), c.order);
    EXPECT_EQ(Parsed(c.right).Cmp(Parsed(c.left)), -c.order);
    EXPECT_EQ(Parsed(c.left) == Parsed(c.right), c.order == 0);
  }
}

TEST(Quantity, AddsAndSubtractsInTheFamilyOfTheFirst) {
  struct Case {
    std::string_view left;
    std::string_view right;
    std::string_view sum;
    std::string_view difference;
  };
  const Case cases[] = {
      {"1", "500m", "1500m", "500m"},
      {"1Gi", "1Gi", "2Gi", "0"},
      {"1Gi", "1k", "1073742824", "1073740824"},
      {"0", "1Ki", "1Ki", "-1Ki"},
      {"1.555", "0", "1555m", "1555m"},
      {"999999999999999999", "9E", "9999999999999999999", "-8000000000000000001"},
      {"16Ei", "1500m", "9223372036854775808500m", "9223372036854775805500m"},
      {"51e3", "1500m", "51001500e-3", "50998500e-3"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.left);
    Quantity sum = Parsed(c.left);
    Quantity difference = sum;

    sum.Add(Parsed(c.right));
    difference.Sub(Parsed(c.right));

    EXPECT_EQ(sum.String(), c.sum);
    EXPECT_EQ(difference.String(), c.difference);
  }
}

TEST(Quantity, SubtractingTheLowestIntegerAddsItAsKubernetesDoes) {
  Quantity zero;
  Quantity five = Quantity::FromInt(5);

  zero.Sub(Quantity::FromInt(std::numeric_limits<int64_t>::min()));
  five.Sub(Quantity::FromInt(std::numeric_limits<int64_t>::min()));

  EXPECT_EQ(zero.String(), "-9223372036854775808");
  EXPECT_EQ(five.String(), "-9223372036854775803");
}

TEST(Quantity, ScalesUpwardsAwayFromZero) {
  EXPECT_EQ(Quantity::FromInt(-1001).ScaledValue(3), -2);
  EXPECT_EQ(Quantity::FromMilli(1001).Value(), 2);
  EXPECT_EQ(Quantity::FromInt(2048, Quantity::Format::kBinarySi).String(), "2Ki");
  EXPECT_EQ(Quantity::FromInt(1).ScaledValue(40), 1);
  EXPECT_EQ(Quantity().ScaledValue(-40), 0);
  EXPECT_TRUE(Quantity().IsZero());
  EXPECT_EQ(Parsed("-5").Sign(), -1);
}

TEST(Quantity, AbsurdExponentsNeitherFailNorTakeForever) {
  Quantity huge = Parsed("1234567890123456789012e2000000000");
  huge.Add(Parsed("1Ki"));
  EXPECT_EQ(huge.Sign(), 1);
  EXPECT_EQ(Parsed("1e-2000000000").String(), "1e-9");
  Quantity binary = Parsed("1Ki");
  binary.Add(Parsed("1e2000000000"));
  EXPECT_FALSE(binary.String().empty());
}

TEST(Quantity, IsSmallEnoughForTables) { EXPECT_LE(sizeof(Quantity), 32U); }

}  // namespace
}  // namespace berth::api
