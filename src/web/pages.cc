// SPDX-License-Identifier: Apache-2.0
#include "web/pages.h"

#include <algorithm>

#include "web/assets.h"

namespace berth::web {
namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

std::string_view PathOf(const net::ServerRequest& request) {
  const std::string_view target = request.target;
  return target.substr(0, target.find('?'));
}

bool IsRead(const net::ServerRequest& request) { return request.method == "GET" || request.method == "HEAD"; }

PageAnswer Say(int status, std::string text) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}},
          .body = std::move(text)};
}

}  // namespace

bool IsForPages(const net::ServerRequest& request) {
  const std::string_view path = PathOf(request);
  return path.starts_with(kDashboardRoot) || path == kDashboardRoot.substr(0, kDashboardRoot.size() - 1);
}

bool IsForHome(const net::ServerRequest& request) {
  return PathOf(request) == "/" && IsRead(request) && request.Find("Accept").contains("text/html");
}

PageAnswer SendToDashboard() {
  PageAnswer answer = Say(302, "");
  answer.headers.push_back({"Location", std::string(kDashboardRoot)});
  answer.headers.push_back({"Vary", "Accept"});
  return answer;
}

PageAnswer AnswerPage(const net::ServerRequest& request) {
  if (!IsRead(request)) {
    PageAnswer refused = Say(405, "only GET is supported here\n");
    refused.headers.push_back({"Allow", "GET, HEAD"});
    return refused;
  }
  std::string_view name = PathOf(request);
  if (name.size() < kDashboardRoot.size()) return SendToDashboard();
  name.remove_prefix(kDashboardRoot.size());
  if (name.empty()) name = "index.html";
  const auto found = std::ranges::find(Assets(), name, &Asset::name);
  if (found == Assets().end()) return Say(404, "404 page not found\n");
  PageAnswer answer{.status = 200,
                    .headers = {{"Content-Type", std::string(found->type)},
                                {"ETag", std::string(found->etag)},
                                {"Content-Security-Policy", std::string(kPolicy)},
                                {"X-Content-Type-Options", "nosniff"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cross-Origin-Opener-Policy", "same-origin"}},
                    .body = {}};
  if (request.Find("If-None-Match").contains(found->etag)) {
    answer.status = 304;
  } else if (request.method == "GET") {
    answer.body = found->text;
  }
  return answer;
}

}  // namespace berth::web
