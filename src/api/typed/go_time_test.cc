// SPDX-License-Identifier: Apache-2.0
#include "api/typed/go_time.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

std::string ErrorOf(std::string_view text, bool micros = false) {
  const auto time = ParseGoTime(text, micros);
  return time ? "none" : time.error().message;
}

std::string Mismatch(std::string_view text, std::string_view rest, std::string_view element) {
  return "parsing time \"" + std::string(text) + "\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"" +
         std::string(rest) + "\" as \"" + std::string(element) + "\"";
}

TEST(GoTime, ReadsWhatGoReads) {
  EXPECT_EQ(ParseGoTime("1970-01-01T00:00:01Z", false)->seconds, 1);
  EXPECT_EQ(ParseGoTime("1970-01-01T1:00:00+01:00", false)->seconds, 0);
  EXPECT_EQ(ParseGoTime("1970-01-01T00:00:00,5-00:01", false).value(), (wire::Timestamp{60, 500'000'000}));
  EXPECT_EQ(ParseGoTime("1970-01-01T00:00:00.0000000019Z", false)->nanos, 1);
  EXPECT_EQ(ParseGoTime("1970-01-01T00:00:00.123456Z", true)->nanos, 123'456'000);
}

TEST(GoTime, NamesTheElementThatDoesNotFit) {
  EXPECT_EQ(ErrorOf("x"), Mismatch("x", "x", "2006"));
  EXPECT_EQ(ErrorOf(""), Mismatch("", "", "2006"));
  EXPECT_EQ(ErrorOf("2020"), Mismatch("2020", "", "-"));
  EXPECT_EQ(ErrorOf("2020-1-01T00:00:00Z"), Mismatch("2020-1-01T00:00:00Z", "1-01T00:00:00Z", "01"));
  EXPECT_EQ(ErrorOf("2020-01-01 00:00:00Z"), Mismatch("2020-01-01 00:00:00Z", " 00:00:00Z", "T"));
  EXPECT_EQ(ErrorOf("2020-01-01T00:00:00"), Mismatch("2020-01-01T00:00:00", "", "Z07:00"));
  EXPECT_EQ(ErrorOf("2020-01-01T00:00:00+1:00"), Mismatch("2020-01-01T00:00:00+1:00", "+1:00", "Z07:00"));
  EXPECT_EQ(ErrorOf("2020-01-01T00:00:00.Z"), Mismatch("2020-01-01T00:00:00.Z", ".Z", "Z07:00"));
  EXPECT_EQ(ErrorOf("\u00e9\""), Mismatch("\\xc3\\xa9\\\"", "\\xc3\\xa9\\\"", "2006"));
}

TEST(GoTime, NamesWhatIsOutOfRange) {
  const auto out_of_range = [](std::string_view text, std::string_view part) {
    return "parsing time \"" + std::string(text) + "\": " + std::string(part) + " out of range";
  };
  for (const auto& [text, part] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"2020-13-01T00:00:00Z", "month"},
           {"2020-02-30T00:00:00Z", "day"},
           {"2020-01-00T00:00:00Z", "day"},
           {"2020-01-01T24:00:00Z", "hour"},
           {"2020-01-01T00:61:00Z", "minute"},
           {"2020-01-01T00:00:61Z", "second"},
           {"2020-01-01T00:00:00+99:00", "time zone offset hour"}}) {
    EXPECT_EQ(ErrorOf(text), out_of_range(text, part));
  }
  EXPECT_EQ(ErrorOf("2020-01-01T00:00:00Zx"), "parsing time \"2020-01-01T00:00:00Zx\": extra text: \"x\"");
}

TEST(GoTime, MicrosecondsAreSixDigits) {
  const std::string layout = " as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse ";
  EXPECT_EQ(ErrorOf("2020-01-01T00:00:00Z", true),
            "parsing time \"2020-01-01T00:00:00Z\"" + layout + "\"Z\" as \".000000\"");
  EXPECT_EQ(ErrorOf("2020-01-01T00:00:00.1234567Z", true),
            "parsing time \"2020-01-01T00:00:00.1234567Z\"" + layout + "\"7Z\" as \"Z07:00\"");
}

}  // namespace
}  // namespace berth::api
