// SPDX-License-Identifier: Apache-2.0
#include "net/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::net {
namespace {

TEST(Endpoint, UrlsAreTakenApart) {
  const auto full = ParseEndpoint("HTTPS://us%65r:p%3Aw@api.example:6443/prefix/?q#f");

  ASSERT_TRUE(full) << full.error().message;
  EXPECT_EQ(full->scheme, "https");
  EXPECT_EQ(full->host, "api.example");
  EXPECT_EQ(full->port, 6443);
  EXPECT_EQ(full->base_path, "/prefix");
  EXPECT_EQ(full->user, "user");
  EXPECT_EQ(full->password, "p:w");
  EXPECT_EQ(full->Authority(), "api.example:6443");
  EXPECT_EQ(ParseEndpoint("http://[::1]")->Authority(), "[::1]");
  EXPECT_EQ(ParseEndpoint("http://[::1]:81/")->Authority(), "[::1]:81");
  EXPECT_EQ(ParseEndpoint("https://10.0.0.1")->port, 443);
}

TEST(Endpoint, BadUrlsAreRefusedWithoutShowingThePassword) {
  for (const char* url : {"", "localhost:80", "ftp://x", "http://", "http://[::1", "http://a:b", "http://a:0",
                          "http://a:65536", "http://a:80x", "http://u:secret%zz@a", "http://a b", "http://a/b c"}) {
    SCOPED_TRACE(url);
    const auto endpoint = ParseEndpoint(url);
    ASSERT_FALSE(endpoint);
    EXPECT_THAT(endpoint.error().message, testing::Not(testing::HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace berth::net
