// SPDX-License-Identifier: Apache-2.0
#include "server/browser_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::server {
namespace {

using testing::HasSubstr;

std::optional<std::string> Ask(const BrowserGuard& guard, std::vector<net::Header> headers) {
  net::ServerRequest request;
  request.headers = std::move(headers);
  return guard.WhyRefused(request);
}

TEST(BrowserGuard, HostsThatAreKnownAreLetInOnAnyPort) {
  const BrowserGuard guard({"192.0.2.7", "2001:DB8::7", "Berth.example.org", "*.apps.example.org"});
  const std::pair<std::string, bool> cases[] = {
      {"localhost", true},
      {"localhost:6443", true},
      {"LOCALHOST:8001", true},
      {"127.0.0.1:6443", true},
      {"127.1.2.3", true},
      {"[::1]:6443", true},
      {"[0:0:0:0:0:0:0:1]", true},
      {"192.0.2.7:443", true},
      {"[2001:db8:0::7]", true},
      {"berth.EXAMPLE.org:1", true},
      {"a.apps.example.org", true},
      {"", false},
      {"evil.example", false},
      {"evil.example:6443", false},
      {"localhost.evil.example", false},
      {"127.0.0.1.evil.example", false},
      {"evil.example@127.0.0.1.evil.example", false},
      {"0.0.0.0:6443", false},
      {"192.0.2.8", false},
      {"[::]", false},
      {"[::1", false},
      {"::1", false},
      {"128.0.0.1", false},
      {"localhost:x", false},
      {"localhost:0", false},
      {"a b", false},
      {".apps.example.org", false},
      {"apps.example.org", false},
      {"a.b.apps.example.org", false},
      {"xberth.example.org", false},
  };
  for (const auto& [host, is_let_in] : cases) {
    SCOPED_TRACE(host);
    EXPECT_EQ(!Ask(guard, {{"Host", host}}).has_value(), is_let_in);
  }
}

TEST(BrowserGuard, PagesOfOtherOriginsAreKeptOut) {
  const BrowserGuard guard({"berth.example.org"});
  struct Case {
    std::string origin;
    std::string site;
    bool is_let_in;
  };
  const Case cases[] = {
      {"", "", true},
      {"", "none", true},
      {"", "same-origin", true},
      {"", "same-site", false},
      {"", "cross-site", false},
      {"", "Same-Origin", false},
      {"null", "", false},
      {"null", "same-origin", false},
      {"http://localhost:6443", "", true},
      {"http://LOCALHOST:6443", "same-origin", true},
      {"http://localhost:6443", "cross-site", false},
      {"http://localhost:3000", "", false},
      {"http://localhost:3000", "same-site", false},
      {"http://localhost", "", false},
      // Through a proxy of this machine.
      {"http://localhost:8001", "same-origin", true},
      {"https://berth.example.org", "same-origin", true},
      {"https://evil.example", "", false},
      {"https://evil.example", "same-origin", false},
      {"http://evil.example:6443", "", false},
      {"chrome-extension://abcdef", "", false},
      {"file://", "", false},
  };
  for (const Case& row : cases) {
    SCOPED_TRACE(row.origin + " " + row.site);
    std::vector<net::Header> headers{{"host", "localhost:6443"}};
    if (!row.origin.empty()) headers.emplace_back("origin", row.origin);
    if (!row.site.empty()) headers.emplace_back("sec-fetch-site", row.site);
    EXPECT_EQ(!Ask(guard, std::move(headers)).has_value(), row.is_let_in);
  }
}

TEST(BrowserGuard, APortLeftOutIsThatOfTheScheme) {
  const BrowserGuard guard({});

  EXPECT_FALSE(Ask(guard, {{"Host", "localhost"}, {"Origin", "https://localhost"}}).has_value());
  EXPECT_FALSE(Ask(guard, {{"Host", "localhost:443"}, {"Origin", "https://localhost"}}).has_value());
  EXPECT_TRUE(Ask(guard, {{"Host", "localhost:80"}, {"Origin", "https://localhost"}}).has_value());
}

TEST(BrowserGuard, SaysWhichFlagLetsAHostIn) {
  const BrowserGuard guard({});

  EXPECT_THAT(Ask(guard, {{"Host", "berth.lan:6443"}}).value(), HasSubstr("\"berth.lan\" is none"));
  EXPECT_THAT(Ask(guard, {{"Host", "berth.lan:6443"}}).value(), HasSubstr("--allowed-host berth.lan "));
  EXPECT_THAT(Ask(guard, {{"Host", std::string(100'000, 'a')}}).value(), HasSubstr("--allowed-host NAME "));
  EXPECT_LT(Ask(guard, {{"Host", "localhost"}, {"Origin", std::string(100'000, 'a')}}).value().size(), 400);
}

TEST(BrowserGuard, TakesNamesAddressesAndStars) {
  for (const char* good : {"berth.lan", "berth", "*.example.org", "192.0.2.7", "::1", "my_host"}) {
    EXPECT_TRUE(IsHostPattern(good)) << good;
  }
  for (const char* bad : {"", "*", "*.", "a:80", "http://a", "a b", "a/b", "[::1]", "a*b"}) {
    EXPECT_FALSE(IsHostPattern(bad)) << bad;
  }
  EXPECT_TRUE(IsHostPattern(std::string(253, 'a')));
  EXPECT_FALSE(IsHostPattern(std::string(254, 'a')));
}

}  // namespace
}  // namespace berth::server
