// SPDX-License-Identifier: Apache-2.0
#include "base/go_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace berth {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

TEST(GoLog, HasTheBitsThatGoComputes) {
  struct Case {
    double x;
    uint64_t bits;
  };
  const Case cases[] = {
      {1, 0x0000000000000000},      {2, 0x3FE62E42FEFA39EF},       {3, 0x3FF193EA7AAD030A},
      {4, 0x3FF62E42FEFA39EF},      {5, 0x3FF9C041F7ED8D33},       {6, 0x3FFCAB0BFA2A2002},
      {7, 0x3FFF2272AE325A57},      {8, 0x4000A2B23F3BAB73},       {9, 0x400193EA7AAD030B},
      {10, 0x40026BB1BBB55516},     {11, 0x40032EE3B77F374C},      {12, 0x4003E116BCD39E7D},
      {13, 0x400485042B318C51},     {16, 0x40062E42FEFA39EF},      {17, 0x4006AA6BC1FA7F7A},
      {20, 0x4007F7427B73E391},     {31, 0x400B78CE48912B5A},      {32, 0x400BB9D3BEB8C86B},
      {33, 0x400BF8D8F4D5B8D1},     {50, 0x400F4BD2B7AC1BAF},      {64, 0x4010A2B23F3BAB73},
      {99, 0x4012616719161D2B},     {100, 0x40126BB1BBB55516},     {101, 0x401275E2271BBA31},
      {128, 0x4013687A9F1AF2B1},    {250, 0x401615F9D9D17124},     {255, 0x40162A40FDA3E3CC},
      {500, 0x4018DBC239B0B862},    {501, 0x4018DDCDFD611821},     {999, 0x401BA084531F2627},
      {1000, 0x401BA18A998FFFA0},   {1001, 0x401BA2909CE4F864},    {1024, 0x401BB9D3BEB8C86B},
      {2000, 0x401E6752F96F46DE},   {5000, 0x402108CD8BC5B177},    {5001, 0x402108E7C1FCD5F9},
      {5002, 0x40210901F6DC84B9},   {9999, 0x40226BA4A018EBAE},    {10000, 0x40226BB1BBB55516},
      {15000, 0x40233B4ADB1B51D8},  {15002, 0x40233B5C54BB9573},   {65536, 0x40262E42FEFA39EF},
      {100000, 0x4027069E2AA2AA5B}, {150000, 0x4027D6374A08A71D},  {199999, 0x40286981B2CC8636},
      {200000, 0x402869825A924DFA}, {0.5, 0xBFE62E42FEFA39EF},     {1.5, 0x3FD9F323ECBF984C},
      {2.5, 0x3FED5240F0E0E078},    {99999.5, 0x4027069D82DCE297},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.x);
    EXPECT_EQ(std::bit_cast<uint64_t>(GoLog(c.x)), c.bits);
  }
}

TEST(GoLog, HandlesSpecialValuesAsGoDoes) {
  EXPECT_EQ(GoLog(0.0), -kInfinity);
  EXPECT_EQ(GoLog(-0.0), -kInfinity);
  EXPECT_EQ(GoLog(kInfinity), kInfinity);
  EXPECT_EQ(std::bit_cast<uint64_t>(GoLog(-1.0)), 0x7FF8000000000001U);
  EXPECT_EQ(std::bit_cast<uint64_t>(GoLog(-kInfinity)), 0x7FF8000000000001U);
  EXPECT_EQ(std::bit_cast<uint64_t>(GoLog(kNan)), std::bit_cast<uint64_t>(kNan));
}

TEST(RoundHalfAway, RoundsHalvesAwayFromZero) {
  struct Case {
    double x;
    int64_t rounded;
  };
  const Case cases[] = {
      {0, 0},
      {0.5, 1},
      {-0.5, -1},
      {0.49999999999999994, 0},
      {2.4, 2},
      {2.5, 3},
      {-2.4, -2},
      {-2.5, -3},
      {0x1p52 + 1, (int64_t{1} << 52) + 1},
      {0x1p63, kLowest},
      {-0x1p63, kLowest},
      {1e300, kLowest},
      {kNan, kLowest},
      {-kInfinity, kLowest},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.x);
    EXPECT_EQ(RoundHalfAway(c.x), c.rounded);
  }
}

}  // namespace
}  // namespace berth
