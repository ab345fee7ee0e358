// SPDX-License-Identifier: Apache-2.0
// Reviews: questions about rights and tokens. Whoever reaches this server may do everything.

#include <string_view>

#include "server/patch/body.h"
#include "server/rest/answer.h"
#include "server/rest/api_server.h"

namespace berth::server {
namespace {

constexpr std::string_view kUser = "system:admin";

Json Texts(std::initializer_list<std::string_view> texts) {
  Json list = Json::MakeList();
  for (const std::string_view text : texts) list.Append(Json::String(text));
  return list;
}

Json UserInfo() {
  return Json{{"username", Json::String(kUser)}, {"groups", Texts({"system:masters", "system:authenticated"})}};
}

Json AllRules() {
  return Json{
      {"resourceRules",
       Json::MakeList({Json{{"verbs", Texts({"*"})}, {"apiGroups", Texts({"*"})}, {"resources", Texts({"*"})}}})},
      {"nonResourceRules", Json::MakeList({Json{{"verbs", Texts({"*"})}, {"nonResourceURLs", Texts({"*"})}}})},
      {"incomplete", Json::Bool(false)}};
}

}  // namespace

// A server that asks for no token knows none, and those that it makes for service accounts it does not keep.
Json ApiServer::ReviewToken(const std::string& token) const {
  if (token_.Is(token)) return Json{{"authenticated", Json::Bool(true)}, {"user", UserInfo()}};
  return Json{{"user", Json::MakeMap()}, {"error", Json::String("invalid bearer token")}};
}

Outcome<void> ApiServer::Review(Call& call) {
  Body body = BERTH_TRY(
      DecodeBody(call.request.Find("Content-Type"), call.request.body, *call.resource, FieldValidation::kIgnore));
  Json& review = body.object;
  const std::string_view kind = call.resource->kind;
  if (kind == "SelfSubjectReview") {
    review.Make("metadata").Set("creationTimestamp", FormatTime(timers_.WallNow()));
    review.Set("status", Json{{"userInfo", UserInfo()}});
  } else if (kind == "SelfSubjectRulesReview") {
    review.Set("spec", Json::MakeMap());
    review.Set("status", AllRules());
  } else if (kind == "TokenReview") {
    const std::string& token = review["spec"]["token"].text();
    if (token.empty()) return BadRequest("token is required for TokenReview in authentication");
    review.Set("status", ReviewToken(token));
  } else {
    review.Set("status", Json{{"allowed", Json::Bool(true)}});
  }
  SendTree(call, 201, review);
  return {};
}

}  // namespace berth::server
