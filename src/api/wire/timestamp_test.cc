// SPDX-License-Identifier: Apache-2.0
#include "api/wire/timestamp.h"

#include <gtest/gtest.h>

#include <limits>

namespace berth::api::wire {
namespace {

TEST(Timestamp, TextAndSecondsAreTheSameInstant) {
  const struct {
    const char* text;
    int64_t seconds;
  } kCases[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"2026-02-28T23:59:59Z", 1'772'323'199},
      {"1969-12-31T23:59:59Z", -1},
      {"0001-01-01T00:00:00Z", kZeroTime.seconds},
      {"9999-12-31T23:59:59Z", 253'402'300'799},
      {"0000-01-01T00:00:00Z", -62'167'219'200},
  };
  for (const auto& [text, seconds] : kCases) {
    SCOPED_TRACE(text);

    EXPECT_EQ(ParseTimestamp(text), (Timestamp{seconds, 0}));
    EXPECT_EQ(FormatTimestamp({seconds, 0}, false), text);
  }
}

TEST(Timestamp, KeepsMicrosecondsAndCutsTheRest) {
  EXPECT_EQ(ParseTimestamp("2026-01-01T00:00:00.1234567899Z"), (Timestamp{1'767'225'600, 123'456'789}));
  EXPECT_EQ(FormatTimestamp({1'767'225'600, 123'456'789}, true), "2026-01-01T00:00:00.123456Z");
  EXPECT_EQ(FormatTimestamp({1'767'225'600, 0}, true), "2026-01-01T00:00:00.000000Z");
}

TEST(Timestamp, AppliesTheOffset) {
  EXPECT_EQ(ParseTimestamp("2026-01-01T01:30:00+01:30"), ParseTimestamp("2026-01-01T00:00:00Z"));
  EXPECT_EQ(ParseTimestamp("2025-12-31T22:00:00-02:00"), ParseTimestamp("2026-01-01T00:00:00Z"));
}

TEST(Timestamp, RefusesOtherTexts) {
  for (const char* text :
       {"", "2026", "2026-01-01", "2026-01-01T00:00:00", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00ZZ",
        "2026-01-01T00:00:00+0100", "x026-01-01T00:00:00Z"}) {
    SCOPED_TRACE(text);

    EXPECT_FALSE(ParseTimestamp(text));
  }
}

TEST(Timestamp, BeyondFourDigitsOfYearsThereIsNoText) {
  EXPECT_EQ(FormatTimestamp({253'402'300'800, 0}, false), "");
  EXPECT_EQ(FormatTimestamp({std::numeric_limits<int64_t>::min(), 0}, true), "");
}

}  // namespace
}  // namespace berth::api::wire
