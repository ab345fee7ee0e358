// SPDX-License-Identifier: Apache-2.0
#include "client/request/api_error.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "api/document/field_error.h"
#include "api/document/value.h"
#include "api/wire/protobuf.h"
#include "base/ascii.h"
#include "client/request/rest_client.h"

namespace berth::client {

namespace {

constexpr size_t kServerTextMax = 2048;

std::vector<std::string_view> Segments(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    size_t slash = std::min(path.find('/'), path.size());
    if (slash > 0) segments.push_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return segments;
}

std::optional<ApiError> StatusIn(const RestAnswer& answer) {
  Result<api::Document> document =
      api::wire::IsProtobuf(answer.body) ? api::wire::ParseProtobuf(answer.body) : api::ParseJson(answer.body);
  if (!document) return std::nullopt;
  api::Value status = document->root();
  if (status["kind"].text() != "Status" || status["status"].text() != "Failure") return std::nullopt;
  return ApiError{answer.status, std::string(status["reason"].text()), std::string(status["message"].text())};
}

// What an answer says that is no Status: its text, as far as it is one.
std::string ServerText(const RestAnswer& answer) {
  if (!answer.content_type.empty() && !Lower(answer.content_type).starts_with("text/")) return "unknown";
  std::string_view text = std::string_view(answer.body).substr(0, kServerTextMax);
  auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

struct Meaning {
  std::string reason;
  std::string message;
};

Meaning MeaningOf(int status, bool is_post, const std::string& text) {
  switch (status) {
    case 400: return {"BadRequest", "the server rejected our request for an unknown reason"};
    case 401: return {"Unauthorized", "the server has asked for the client to provide credentials"};
    case 403: return {"Forbidden", text};
    case 404: return {"NotFound", "the server could not find the requested resource"};
    case 405: return {"MethodNotAllowed", "the server does not allow this method on the requested resource"};
    case 406:
      if (!text.empty() && text != "unknown") return {"NotAcceptable", text};
      return {"NotAcceptable", "the server was unable to respond with a content type that the client supports"};
    case 409: return {is_post ? "AlreadyExists" : "Conflict", "the server reported a conflict"};
    case 415: return {"UnsupportedMediaType", text};
    case 422: return {"Invalid", "the server rejected our request due to an error in our request"};
    case 429:
      return {"TooManyRequests", "the server has received too many requests and has asked us to try again later"};
    case 503: return {"ServiceUnavailable", "the server is currently unable to handle the request"};
    case 504:
      return {
          "Timeout",
          "the server was unable to return a response in the time allotted, but may still be processing the request"};
    default: break;
  }
  if (status >= 500) {
    return {"InternalError",
            fmt::format("an error on the server ({}) has prevented the request from succeeding", api::GoQuote(text))};
  }
  return {"", fmt::format("the server responded with the status code {} but did not return more information", status)};
}

}  // namespace

std::string AskedFor(std::string_view method, std::string_view path) {
  std::vector<std::string_view> segments = Segments(path);
  bool is_core = !segments.empty() && segments[0] == "api";
  size_t at = is_core ? 2 : 3;
  if (segments.size() <= at || (!is_core && segments[0] != "apis")) return {};
  std::string_view group = is_core ? "" : segments[1];
  if (segments[at] == "namespaces" && segments.size() > at + 2) at += 2;
  std::string text = fmt::format("{} {}", Lower(method), segments[at]);
  if (!group.empty()) text += fmt::format(".{}", group);
  if (segments.size() > at + 1) text += fmt::format(" {}", segments[at + 1]);
  return text;
}

ApiError ErrorOf(const RestAnswer& answer) {
  std::optional<ApiError> status = StatusIn(answer);
  if (status) return *std::move(status);
  Meaning meaning = MeaningOf(answer.status, answer.asked_for.starts_with("post "), ServerText(answer));
  if (!answer.asked_for.empty()) meaning.message += fmt::format(" ({})", answer.asked_for);
  return ApiError{answer.status, std::move(meaning.reason), std::move(meaning.message)};
}

}  // namespace berth::client
