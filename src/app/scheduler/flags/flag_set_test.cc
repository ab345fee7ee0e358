// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/flag_set.h"

#include <gtest/gtest.h>

#include "app/scheduler/flags/flag_bindings.h"
#include "app/scheduler/flags/go_values.h"
#include "app/scheduler/flags/help.h"

namespace berth::scheduler_app {
namespace {

struct Fixture {
  std::string name = "none";
  bool on = false;
  int64_t port = 1;
  uint32_t level = 0;
  std::vector<std::string> list = {"default"};
  FlagSet flags;

  Fixture() {
    flags.BeginSection("First");
    flags.Add("a-name", BindString(name), "A name.");
    flags.Add("on", BindBool(on), "Truth.");
    flags.Add("port", BindInt(port), "A port.");
    flags.BeginSection("Second");
    flags.Add("list", BindStrings(list), "A list.");
    flags.Add("v", BindLevel(level), "Verbosity.", 'v');
  }

  // The error, or the arguments in brackets.
  std::string Parse(const std::vector<std::string>& arguments) {
    const auto others = flags.Parse(arguments);
    if (!others) return others.error().message;
    return "[" + JoinCsv(*others) + "]";
  }
};

TEST(FlagSet, TakesValuesInEveryNotation) {
  Fixture with_equals;
  EXPECT_EQ(with_equals.Parse({"--a-name=b=c", "--on", "--port=0x10", "-v=2"}), "[]");
  EXPECT_EQ(with_equals.name, "b=c");
  EXPECT_TRUE(with_equals.on);
  EXPECT_EQ(with_equals.port, 16);
  EXPECT_EQ(with_equals.level, 2U);

  Fixture with_space;
  EXPECT_EQ(with_space.Parse({"--a_name", "-x", "x", "-v3", "--", "--on", "y"}), "[x,--on,y]");
  EXPECT_EQ(with_space.name, "-x");
  EXPECT_EQ(with_space.level, 3U);
  EXPECT_FALSE(with_space.on);
  EXPECT_TRUE(with_space.flags.Changed("a-name"));
  EXPECT_FALSE(with_space.flags.Changed("on"));
}

TEST(FlagSet, FirstValueOfAListReplacesTheDefaultAndOthersExtendIt) {
  Fixture fixture;

  EXPECT_EQ(fixture.Parse({"--list=a,\"b,c\"", "--list", "d"}), "[]");

  EXPECT_EQ(fixture.list, (std::vector<std::string>{"a", "b,c", "d"}));
}

TEST(FlagSet, ErrorsAreThoseOfPflag) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--nope=1"}, "unknown flag: --nope"},
      {{"--no_pe"}, "unknown flag: --no_pe"},
      {{"---x"}, "bad flag syntax: ---x"},
      {{"--=x"}, "bad flag syntax: --=x"},
      {{"--port"}, "flag needs an argument: --port"},
      {{"-v"}, "flag needs an argument: 'v' in -v"},
      {{"-q1"}, "unknown shorthand flag: 'q' in -q1"},
      {{"--port="}, "invalid argument \"\" for \"--port\" flag: strconv.ParseInt: parsing \"\": invalid syntax"},
      {{"--on=maybe"},
       "invalid argument \"maybe\" for \"--on\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax"},
      {{"-v=x"}, "invalid argument \"x\" for \"-v, --v\" flag: strconv.ParseUint: parsing \"x\": invalid syntax"},
      {{"--port=9223372036854775808"},
       "invalid argument \"9223372036854775808\" for \"--port\" flag: strconv.ParseInt: parsing "
       "\"9223372036854775808\": value out of range"},
      {{"--list=\"a"},
       "invalid argument \"\\\"a\" for \"--list\" flag: parse error on line 1, column 3: extraneous or missing \" in "
       "quoted-field"},
  };
  for (const auto& [arguments, expected] : cases) {
    SCOPED_TRACE(arguments[0]);
    EXPECT_EQ(Fixture().Parse(arguments), expected);
  }
}

TEST(Help, DescriptionsStandBesideTheFlagsOrBelowThem) {
  const Fixture fixture;

  EXPECT_EQ(UsageText("prog", fixture.flags, 0),
            "Usage:\n  prog [flags]\n"
            "\nFirst flags:\n\n"
            "      --a-name string   A name. (default \"none\")\n"
            "      --on              Truth.\n"
            "      --port int        A port. (default 1)\n"
            "\nSecond flags:\n\n"
            "      --list strings   A list. (default [default])\n"
            "  -v, --v Level        Verbosity.\n");
  EXPECT_NE(UsageText("prog", fixture.flags, 80).find("  -v, --v Level\n                Verbosity.\n"),
            std::string::npos);
}

TEST(GoValues, NumbersAreReadAsInGo) {
  EXPECT_EQ(ParseGoInt("-0b11", 32).value(), -3);
  EXPECT_EQ(ParseGoInt("017", 32).value(), 15);
  EXPECT_EQ(ParseGoInt("1_000", 32).value(), 1000);
  EXPECT_EQ(ParseGoInt("0x_ff", 32).value(), 255);
  EXPECT_FALSE(ParseGoInt("1__0", 32));
  EXPECT_FALSE(ParseGoInt("_1", 32));
  EXPECT_FALSE(ParseGoInt("2147483648", 32));
  EXPECT_EQ(ParseGoInt("-2147483648", 32).value(), INT32_MIN);
  EXPECT_EQ(ParseGoFloat("1e3").value(), 1000);
  EXPECT_EQ(ParseGoFloat("0x1p4").value(), 16);
  EXPECT_EQ(ParseGoFloat("1e-60").value(), 0);
  EXPECT_FALSE(ParseGoFloat("1e40"));
  EXPECT_FALSE(ParseGoFloat("x"));
  EXPECT_EQ(FormatGoFloat(50), "50");
  EXPECT_EQ(FormatGoFloat(1e6F), "1e+06");
  EXPECT_EQ(FormatGoFloat(0.1F), "0.1");
}

}  // namespace
}  // namespace berth::scheduler_app
