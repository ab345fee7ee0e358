// SPDX-License-Identifier: Apache-2.0
#include "server/model/value_rules.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

TEST(ValueRules, LabelsSayWhetherDotsAreTheOnlyProblem) {
  EXPECT_TRUE(CheckDnsLabel("my-name").empty());
  EXPECT_EQ(CheckDnsLabel("a.b"), Problems{"must not contain dots"});
  EXPECT_EQ(CheckDnsLabel(std::string(64, 'a')), Problems{"must be no more than 63 characters"});
  for (const char* bad : {"", "-a", "a-", "A", "a_b"}) EXPECT_EQ(CheckDnsLabel(bad).size(), 1U) << bad;
}

TEST(ValueRules, PortNamesBreakSeveralRulesAtOnce) {
  EXPECT_TRUE(CheckPortName("http-2").empty());
  EXPECT_EQ(CheckPortName("-1--2-"),
            (Problems{"must contain at least one letter (a-z)", "must not contain consecutive hyphens",
                      "must not begin or end with a hyphen"}));
  EXPECT_EQ(CheckPortNumber(0), Problems{"must be between 1 and 65535, inclusive"});
  EXPECT_TRUE(CheckPortNumber(65535).empty());
}

TEST(ValueRules, AddressesAreOfOneFamilyAndWrittenPlainly) {
  EXPECT_EQ(IpFamily("10.0.0.1"), 4);
  EXPECT_EQ(IpFamily("2001:db8::1"), 6);
  EXPECT_EQ(IpFamily("1.2.3"), 0);
  EXPECT_EQ(IpFamily("1.2.3.256"), 0);
  EXPECT_TRUE(CheckIp("0.0.0.0").empty());
  EXPECT_EQ(CheckIp("010.0.0.1"), Problems{"must not have leading 0s"});
  EXPECT_EQ(CheckIp("::ffff:1.2.3.4"), Problems{"must not be an IPv4-mapped IPv6 address"});
  EXPECT_EQ(CheckIp("x"), Problems{"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"});
}

TEST(ValueRules, KeysMayNotLeaveTheirDirectory) {
  EXPECT_TRUE(CheckConfigKey("a.b_c-D").empty());
  EXPECT_EQ(CheckConfigKey(".."), Problems{"must not be '..'"});
  EXPECT_EQ(CheckConfigKey("..a"), Problems{"must not start with '..'"});
  EXPECT_EQ(CheckConfigKey("a/b").size(), 1U);
}

TEST(ValueRules, SearchDomainsMayBeginWithAnUnderscore) {
  EXPECT_TRUE(CheckDnsSubdomainWithUnderscore("_tcp.a_b.example").empty());
  EXPECT_EQ(CheckDnsSubdomainWithUnderscore("a_.b").size(), 1U);
  EXPECT_EQ(CheckDnsSubdomainWithUnderscore("a..b").size(), 1U);
}

TEST(ValueRules, PercentsAreWholeNumbers) {
  EXPECT_TRUE(CheckPercent("25%").empty());
  EXPECT_EQ(CheckPercent("%").size(), 1U);
}

}  // namespace
}  // namespace berth::server
