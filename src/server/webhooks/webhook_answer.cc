// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/webhook_answer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "api/document/field_error.h"
#include "base/base64.h"
#include "client/request/rest_client.h"

namespace berth::server {
namespace {

constexpr size_t kWarningsMax = 100;

WebhookAnswer WithoutAnswer(std::string why) { return {.failure = std::move(why)}; }
WebhookAnswer NotCalled(std::string_view why) { return WithoutAnswer(fmt::format("failed to call webhook: {}", why)); }
WebhookAnswer NotUnderstood(std::string_view why) {
  return WithoutAnswer(fmt::format("received invalid webhook response: {}", why));
}

// Upstream's form of a group, version and kind.
std::string ReviewKindText(std::string_view api_version, std::string_view kind) {
  const std::string_view slash = api_version.contains('/') ? "" : "/";
  return fmt::format("{}{}, Kind={}", slash, api_version, kind);
}

// Whether patch and type stand together as they must; otherwise what is wrong.
std::string PatchProblem(const AskedReview& asked, const Json& response) {
  const bool has_patch = !response["patch"].text().empty();
  const Json& type = response["patchType"];
  if (!asked.mutates) {
    if (has_patch) return "validating webhook may not return response.patch";
    return type.is_null() ? "" : "validating webhook may not return response.patchType";
  }
  if (has_patch && type.is_null()) return "webhook returned response.patch but not response.patchType";
  if (!has_patch && !type.is_null()) return "webhook returned response.patchType but not response.patch";
  return has_patch && type.text().empty() ? "webhook returned invalid response.patchType of \"\"" : "";
}

WebhookAnswer ReadReview(const AskedReview& asked, const Json& review) {
  const Json& response = review["response"];
  if (!response.is_map()) return NotUnderstood("webhook response was absent");
  WebhookAnswer answer{.is_allowed = response["allowed"].AsBool(), .result = response["status"]};
  // The older version checks nothing.
  if (asked.version == "v1") {
    if (const std::string& uid = response["uid"].text(); uid != asked.uid) {
      return NotUnderstood(fmt::format("expected response.uid={}, got {}", api::GoQuote(asked.uid), api::GoQuote(uid)));
    }
    const std::string expected = ReviewKindText("admission.k8s.io/v1", "AdmissionReview");
    const std::string actual = ReviewKindText(review["apiVersion"].text(), review["kind"].text());
    if (actual != expected) {
      return NotUnderstood(fmt::format("expected webhook response of {}, got {}", expected, actual));
    }
    if (const std::string problem = PatchProblem(asked, response); !problem.empty()) return NotUnderstood(problem);
    answer.patch_type = response["patchType"].text();
  } else {
    answer.patch_type = "JSONPatch";
  }
  if (asked.mutates) {
    std::optional<std::string> patch = DecodeBase64(response["patch"].text());
    if (!patch) return NotCalled("illegal base64 data in response.patch");
    answer.patch = *std::move(patch);
  }
  for (const Json& warning : response["warnings"].items()) {
    if (answer.warnings.size() < kWarningsMax) answer.warnings.push_back(warning.text());
  }
  return answer;
}

}  // namespace

std::expected<Json, std::string> ReadReply(const std::string& url, const Result<WebhookReply>& reply) {
  if (!reply) return std::unexpected(fmt::format("Post {}: {}", api::GoQuote(url), reply.error().message));
  if (reply->status < 200 || reply->status > 206) {
    return std::unexpected(
        client::ErrorOf(
            {.status = reply->status, .content_type = reply->content_type, .body = reply->body, .asked_for = {}})
            .message);
  }
  if (reply->body.empty()) {
    return std::unexpected(
        fmt::format("0-length response with status code: {} and content type: {}", reply->status, reply->content_type));
  }
  Result<Json> review = api::ParseTree(reply->body);
  if (review) return *std::move(review);
  return std::unexpected("couldn't get version/kind; json parse error: " + review.error().message);
}

WebhookAnswer ReadWebhookAnswer(const AskedReview& asked, const Result<WebhookReply>& reply) {
  if (!reply && reply.error().code == Code::kInvalid) {
    return WithoutAnswer(fmt::format("could not get REST client: {}", reply.error().message));
  }
  const auto review = ReadReply(asked.url, reply);
  return review ? ReadReview(asked, *review) : NotCalled(review.error());
}

Refusal DeniedBy(std::string_view webhook, const Json& result) {
  constexpr int kLeast = 400;
  constexpr int kMost = 599;
  const Json& details = result["details"];
  const int64_t code = result["code"].IntOr(0);
  StatusError error{.code = code < kLeast || code > kMost ? kLeast : static_cast<int>(code),
                    .reason = result["reason"].text(),
                    .message = fmt::format("admission webhook {} denied the request", api::GoQuote(webhook)),
                    .has_details = details.is_map(),
                    .name = details["name"].text(),
                    .group = details["group"].text(),
                    .kind = details["kind"].text(),
                    .uid = details["uid"].text()};
  for (const Json& cause : details["causes"].items()) {
    error.causes.push_back(
        {.reason = cause["reason"].text(), .message = cause["message"].text(), .field = cause["field"].text()});
  }
  const std::string& message = result["message"].text();
  if (!message.empty()) {
    error.message += ": " + message;
  } else if (!error.reason.empty()) {
    error.message += ": " + error.reason;
  } else {
    error.message += " without explanation";
  }
  return std::unexpected(std::move(error));
}

}  // namespace berth::server
