// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <gtest/gtest.h>

#include <limits>

namespace berth {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kNanosecondsMin = std::numeric_limits<int64_t>::min();

TEST(Time, ReadsRfc3339AndPrintsUtc) {
  struct Case {
    std::string_view text;
    int64_t nanos;
    std::string_view seconds;
    std::string_view micros;
  };
  const Case cases[] = {
      {"1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"},
      {"2026-01-01T00:00:37Z", 1767225637'000000000, "2026-01-01T00:00:37Z", "2026-01-01T00:00:37.000000Z"},
      {"2026-01-01T00:00:37.123456Z", 1767225637'123456000, "2026-01-01T00:00:37Z", "2026-01-01T00:00:37.123456Z"},
      {"2026-01-01T00:00:37.1234567899Z", 1767225637'123456789, "2026-01-01T00:00:37Z", "2026-01-01T00:00:37.123456Z"},
      {"2026-01-01T01:30:37+01:30", 1767225637'000000000, "2026-01-01T00:00:37Z", "2026-01-01T00:00:37.000000Z"},
      {"2025-12-31T16:00:37-08:00", 1767225637'000000000, "2026-01-01T00:00:37Z", "2026-01-01T00:00:37.000000Z"},
      {"2024-02-29T23:59:59Z", 1709251199'000000000, "2024-02-29T23:59:59Z", "2024-02-29T23:59:59.000000Z"},
      {"1969-12-31T23:59:59.5Z", -500000000, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.500000Z"},
      {"0001-01-01T00:00:00Z", kNanosecondsMin, "1677-09-21T00:12:43Z", "1677-09-21T00:12:43.145224Z"},
      {"9999-12-31T23:59:59Z", kMax, "2262-04-11T23:47:16Z", "2262-04-11T23:47:16.854775Z"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<Time> time = ParseTime(c.text);

    ASSERT_TRUE(time);
    EXPECT_EQ(time->nanos, c.nanos);
    EXPECT_EQ(FormatTime(*time), c.seconds);
    EXPECT_EQ(FormatTimeMicro(*time), c.micros);
  }
}

TEST(Time, RefusesWhatIsNotRfc3339) {
  for (const std::string_view text :
       {"", "2026-01-01", "2026-01-01T00:00:37", "2026-01-01 00:00:37Z", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:37.Z", "2026-01-01T00:00:37z", "2026-01-01T00:00:37+0100", "2026-01-01T00:00:37Z ",
        "2026-1-01T00:00:00Z", "+026-01-01T00:00:00Z"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(ParseTime(text));
  }
}

TEST(Time, ArithmeticSaturatesAtItsEnds) {
  EXPECT_EQ(Time{5} + Seconds(2), Time{2'000'000'005});
  EXPECT_EQ(Time{5} - Milliseconds(1), Time{-999'995});
  EXPECT_EQ(Time{9} - Time{4}, Duration{5});
  EXPECT_EQ(Minutes(1) + Seconds(30) - Seconds(1), Seconds(89));
  EXPECT_EQ(Time{kMax} + Seconds(1), Time{kMax});
  EXPECT_EQ(Time{kNanosecondsMin} - Seconds(1), Time{kNanosecondsMin});
  EXPECT_EQ(Time{kNanosecondsMin} - Time{1}, Duration{kNanosecondsMin});
  EXPECT_LT(Time{1}, Time{2});
}

TEST(Duration, ReadsAndPrintsAsGoDoes) {
  struct Case {
    std::string_view text;
    int64_t nanos;
    std::string_view printed;
  };
  const Case cases[] = {
      {"0", 0, "0s"},
      {"1m30s", 90'000'000'000, "1m30s"},
      {"10m", 600'000'000'000, "10m0s"},
      {"1.5s", 1'500'000'000, "1.5s"},
      {"100ms", 100'000'000, "100ms"},
      {"1h", 3'600'000'000'000, "1h0m0s"},
      {"-90s", -90'000'000'000, "-1m30s"},
      {"+.5h", 1'800'000'000'000, "30m0s"},
      {"1500us", 1'500'000, "1.5ms"},
      {"7\u00B5s", 7'000, "7\u00B5s"},
      {"7\u03BCs", 7'000, "7\u00B5s"},
      {"12ns", 12, "12ns"},
      {"1.0000000019s", 1'000'000'001, "1.000000001s"},
      {"9223372036854775807ns", kMax, "2562047h47m16.854775807s"},
      {"-9223372036854775808ns", kNanosecondsMin, "-2562047h47m16.854775808s"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<Duration> duration = ParseDuration(c.text);

    ASSERT_TRUE(duration);
    EXPECT_EQ(duration->nanos, c.nanos);
    EXPECT_EQ(FormatDuration(*duration), c.printed);
  }
}

TEST(Duration, RefusesWithTheErrorOfGo) {
  struct Case {
    std::string_view text;
    std::string_view error;
  };
  const Case cases[] = {
      {"", "time: invalid duration \"\""},
      {"-", "time: invalid duration \"-\""},
      {"5", "time: missing unit in duration \"5\""},
      {"5d", "time: unknown unit \"d\" in duration \"5d\""},
      {".s", "time: invalid duration \".s\""},
      {"s", "time: invalid duration \"s\""},
      {"9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""},
      {"2562048h", "time: invalid duration \"2562048h\""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<Duration> duration = ParseDuration(c.text);

    ASSERT_FALSE(duration);
    EXPECT_EQ(duration.error().message, c.error);
  }
}

TEST(Duration, CountsOfUnitsSaturate) {
  constexpr int64_t kMost = INT64_MAX;
  constexpr int64_t kLeast = INT64_MIN;

  EXPECT_EQ(Seconds(9'223'372'036).nanos, 9'223'372'036'000'000'000);
  EXPECT_EQ(Seconds(9'223'372'037).nanos, kMost);
  EXPECT_EQ(Seconds(-9'223'372'037).nanos, kLeast);
  for (const auto unit : {Milliseconds, Seconds, Minutes}) {
    EXPECT_EQ(unit(kMost).nanos, kMost);
    EXPECT_EQ(unit(kLeast).nanos, kLeast);
    EXPECT_EQ(unit(-1).nanos, -unit(1).nanos);
    EXPECT_EQ(unit(0).nanos, 0);
  }
}

}  // namespace
}  // namespace berth
