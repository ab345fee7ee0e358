// SPDX-License-Identifier: Apache-2.0
#include "client/request/request_url.h"

#include <gtest/gtest.h>

namespace berth::client {
namespace {

TEST(RequestUrl, IsTakenApart) {
  const auto url = ParseRequestUrl("https://me:pw@[::1]:8443/x y/filter?a=b#part");

  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->endpoint.scheme, "https");
  EXPECT_EQ(url->endpoint.host, "::1");
  EXPECT_EQ(url->endpoint.port, 8443);
  EXPECT_EQ(url->endpoint.user, "me");
  EXPECT_EQ(url->endpoint.base_path, "");
  EXPECT_EQ(url->target, "/x%20y/filter?a=b");
  EXPECT_EQ(ParseRequestUrl("http://h?q").value().target, "/?q");
}

TEST(RequestUrl, ErrorsReadLikeGos) {
  const auto error = [](std::string_view url) { return ParseRequestUrl(url).error().message; };

  EXPECT_EQ(error("localhost/x"), R"(unsupported protocol scheme "")");
  EXPECT_EQ(error("unix://x/y"), R"(unsupported protocol scheme "unix")");
  EXPECT_EQ(error("http:///x"), "http: no Host in request URL");
  EXPECT_EQ(error("http://h:x/"), R"(the URL has an invalid port "x")");
}

TEST(RequestUrl, LocationsAreResolved) {
  const std::string_view from = "http://h:80/a/b?q";

  EXPECT_EQ(ResolveLocation(from, "https://other/c"), "https://other/c");
  EXPECT_EQ(ResolveLocation(from, "//other/c"), "http://other/c");
  EXPECT_EQ(ResolveLocation(from, "/c"), "http://h:80/c");
  EXPECT_EQ(ResolveLocation(from, "c"), "http://h:80/a/c");
  EXPECT_EQ(ResolveLocation(from, "?r"), "http://h:80/a/b?r");
  EXPECT_EQ(ResolveLocation("http://h", "c"), "http://h/c");
}

}  // namespace
}  // namespace berth::client
