// SPDX-License-Identifier: Apache-2.0
#include "web/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "web/assets.h"

namespace berth::web {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

net::ServerRequest Ask(std::string target, std::vector<net::Header> headers = {}, std::string method = "GET") {
  return {.method = std::move(method),
          .target = std::move(target),
          .headers = std::move(headers),
          .body = {},
          .peer_address = {},
          .peer_certificate = {}};
}

std::string Header(const PageAnswer& page, std::string_view name) {
  for (const net::Header& header : page.headers) {
    if (header.name == name) return header.value;
  }
  return "";
}

TEST(Pages, AreServedWithAPolicyThatLetsNothingElseIn) {
  for (const Asset& asset : Assets()) {
    const PageAnswer page = AnswerPage(Ask("/dashboard/" + std::string(asset.name)));
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.body, asset.text);
    EXPECT_EQ(Header(page, "Content-Type"), asset.type);
    EXPECT_THAT(Header(page, "Content-Security-Policy"),
                AllOf(HasSubstr("default-src 'none'"), HasSubstr("frame-ancestors 'none'"), Not(HasSubstr("unsafe"))));
    EXPECT_EQ(Header(page, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(Header(page, "Referrer-Policy"), "no-referrer");
  }
  EXPECT_EQ(AnswerPage(Ask("/dashboard/")).body, AnswerPage(Ask("/dashboard/index.html")).body);
}

TEST(Pages, NeedNothingFromElsewhereAndAreSmall) {
  size_t bytes = 0;
  const std::regex elsewhere(R"((src|href|from|import)\s*[=(]?\s*['"](https?:)?//)");
  for (const Asset& asset : Assets()) {
    bytes += asset.text.size();
    EXPECT_FALSE(std::regex_search(std::string(asset.text), elsewhere)) << asset.name;
    if (asset.name.ends_with(".html")) {
      EXPECT_THAT(std::string(asset.text),
                  AllOf(Not(HasSubstr("<style")), Not(HasSubstr(" style=")), Not(HasSubstr("onclick"))));
    }
  }
  EXPECT_LT(bytes, 300U << 10);
}

TEST(Pages, AreNotSentAgainToWhoHasThem) {
  const PageAnswer first = AnswerPage(Ask("/dashboard/app.js"));

  const PageAnswer again = AnswerPage(Ask("/dashboard/app.js", {{"If-None-Match", "W/" + Header(first, "ETag")}}));

  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(AnswerPage(Ask("/dashboard/app.js", {{"If-None-Match", "\"other\""}})).status, 200);
}

TEST(Pages, WhatIsNotThereOrNotReadIsRefused) {
  EXPECT_EQ(AnswerPage(Ask("/dashboard/../secret")).status, 404);
  EXPECT_EQ(AnswerPage(Ask("/dashboard/nothing")).status, 404);
  EXPECT_EQ(AnswerPage(Ask("/dashboard/app.js", {}, "POST")).status, 405);
  EXPECT_EQ(AnswerPage(Ask("/dashboard/app.js", {}, "HEAD")).body, "");
  const PageAnswer sent = AnswerPage(Ask("/dashboard"));
  EXPECT_EQ(sent.status, 302);
  EXPECT_EQ(Header(sent, "Location"), "/dashboard/");
}

TEST(Pages, HomeIsForBrowsersOnly) {
  EXPECT_TRUE(IsForHome(Ask("/", {{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}})));
  EXPECT_FALSE(IsForHome(Ask("/", {{"Accept", "application/json, */*"}})));
  EXPECT_FALSE(IsForHome(Ask("/", {{"Accept", "*/*"}})));
  EXPECT_FALSE(IsForHome(Ask("/")));
  EXPECT_FALSE(IsForHome(Ask("/api", {{"Accept", "text/html"}})));
  EXPECT_FALSE(IsForHome(Ask("/", {{"Accept", "text/html"}}, "POST")));
  EXPECT_TRUE(IsForPages(Ask("/dashboard/app.js?x=1")));
  EXPECT_FALSE(IsForPages(Ask("/dashboards/")));
}

}  // namespace
}  // namespace berth::web
