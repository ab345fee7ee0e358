// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/webhook_target.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::server {
namespace {

TEST(WebhookUrl, HasTheShortestFormOfThePath) {
  struct Case {
    std::string url;
    std::string expected;
  };
  for (const Case& each : {
           Case{"https://127.0.0.1:1", "/"},
           Case{"https://127.0.0.1:1/", "/"},
           Case{"https://127.0.0.1:1/check", "/check"},
           Case{"https://127.0.0.1:1/check/", "/check"},
           Case{"https://127.0.0.1:1//check", "/check"},
           Case{"https://127.0.0.1:1/a//b/./c/../d", "/a/b/d"},
           Case{"https://127.0.0.1:1/../check", "/check"},
       }) {
    SCOPED_TRACE(each.url);
    EXPECT_EQ(WebhookUrl(Json{{"url", Json::String(each.url)}}, 5),
              "https://127.0.0.1:1" + each.expected + "?timeout=5s");
  }
}

TEST(WebhookUrl, OfAServiceHasItsNamePortAndPath) {
  const Json service{
      {"namespace", Json::String("ns")}, {"name", Json::String("hook")}, {"path", Json::String("//check")}};

  EXPECT_EQ(WebhookUrl(Json{{"service", service}}, 10), "https://hook.ns.svc:443/check?timeout=10s");
}

}  // namespace
}  // namespace berth::server
