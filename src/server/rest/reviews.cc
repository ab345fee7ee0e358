// SPDX-License-Identifier: Apache-2.0
// Reviews: questions about users, tokens and rights.

#include <string_view>

#include "server/patch/body.h"
#include "server/rest/answer.h"
#include "server/rest/api_server.h"

namespace berth::server {
namespace {

Json RulesStatus(const HeldRules& held) {
  Json of_resources = Json::MakeList();
  Json of_paths = Json::MakeList();
  for (const PolicyRule& rule : held.rules) {
    if (!rule.resources.empty()) {
      Json& added = of_resources.Append(Json{{"verbs", TextList(rule.verbs)},
                                             {"apiGroups", TextList(rule.groups)},
                                             {"resources", TextList(rule.resources)}});
      if (!rule.names.empty()) added.Set("resourceNames", TextList(rule.names));
    }
    if (!rule.urls.empty()) {
      of_paths.Append(Json{{"verbs", TextList(rule.verbs)}, {"nonResourceURLs", TextList(rule.urls)}});
    }
  }
  Json status{{"resourceRules", std::move(of_resources)},
              {"nonResourceRules", std::move(of_paths)},
              {"incomplete", Json::Bool(false)}};
  if (!held.error.empty()) status.Set("evaluationError", held.error);
  return status;
}

// What a review of access asks about.
Attributes WishIn(const Json& spec) {
  if (const Json* path = spec.Find("nonResourceAttributes")) {
    return {.verb = (*path)["verb"].text(), .path = (*path)["path"].text()};
  }
  const Json& wish = spec["resourceAttributes"];
  return {.is_resource = true,
          .verb = wish["verb"].text(),
          .group = wish["group"].text(),
          .resource = wish["resource"].text(),
          .subresource = wish["subresource"].text(),
          .ns = wish["namespace"].text(),
          .name = wish["name"].text()};
}

// About whom it asks.
User SubjectIn(const Json& spec) {
  User user{.name = spec["user"].text(), .uid = spec["uid"].text(), .groups = {}, .extra = {}};
  for (const Json& group : spec["groups"].items()) user.groups.push_back(group.text());
  return user;
}

// What of the metadata may be said: the namespace of a local review.
bool HasOtherMetadata(const Json& metadata, bool is_local) {
  for (const Json::Member& member : metadata.members()) {
    const bool may_be_said = member.name == "managedFields" || (is_local && member.name == "namespace");
    if (!may_be_said && !member.value.is_null()) return true;
  }
  return false;
}

// The path that is asked about as errors show it: upstream prints its own structure.
Json ShownPath(const Json& spec) {
  const Json* const path = spec.Find("nonResourceAttributes");
  if (path == nullptr) return {};
  return Json{{"Path", Json::String((*path)["path"].text())}, {"Verb", Json::String((*path)["verb"].text())}};
}

Outcome<void> CheckAccessReview(const Json& review, std::string_view kind) {
  const Json& spec = review["spec"];
  const bool is_local = kind == "LocalSubjectAccessReview";
  const bool has_path = spec.Has("nonResourceAttributes");
  const std::string& ns = review["metadata"]["namespace"].text();
  FieldErrors errors;
  if (has_path == spec.Has("resourceAttributes")) {
    errors.Invalid("spec", ShownPath(spec),
                   "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
  if (kind != "SelfSubjectAccessReview" && spec["user"].text().empty() && spec["groups"].empty()) {
    errors.Invalid("spec.user", "", "at least one of user or group must be specified");
  }
  if (HasOtherMetadata(review["metadata"], is_local)) {
    errors.Invalid("metadata", review["metadata"], is_local ? "must be empty except for namespace" : "must be empty");
  }
  if (is_local && spec.Has("resourceAttributes") && spec["resourceAttributes"]["namespace"].text() != ns) {
    errors.Invalid("spec.resourceAttributes.namespace", spec["resourceAttributes"]["namespace"].text(),
                   "must match metadata.namespace");
  }
  if (is_local && has_path) {
    errors.Invalid("spec.nonResourceAttributes", ShownPath(spec), "disallowed on this kind of request");
  }
  // Upstream leaves out the kind.
  if (!errors.empty()) return Invalid("authorization.k8s.io", "", "", std::move(errors));
  return {};
}

Json AccessStatus(const Decision& decision) {
  Json status{{"allowed", Json::Bool(decision.is_allowed)}};
  if (!decision.reason.empty()) status.Set("reason", decision.reason);
  return status;
}

}  // namespace

Json ApiServer::ReviewToken(const Json& spec) const {
  std::vector<std::string> audiences;
  for (const Json& audience : spec["audiences"].items()) audiences.push_back(audience.text());
  const TokenVerdict verdict = access_.VerifyToken(spec["token"].text(), std::move(audiences));
  if (!verdict.is_known) {
    const std::string_view why = verdict.error.empty() ? std::string_view("invalid bearer token") : verdict.error;
    return Json{{"user", Json::MakeMap()}, {"error", Json::String(why)}};
  }
  return Json{{"authenticated", Json::Bool(true)},
              {"user", UserInfo(verdict.user)},
              {"audiences", TextList(verdict.audiences)}};
}

Outcome<void> ApiServer::Review(Call& call) {
  Body body = BERTH_TRY(
      DecodeBody(call.request.Find("Content-Type"), call.request.body, *call.resource, FieldValidation::kIgnore));
  Json& review = body.object;
  const Json& spec = review["spec"];
  const std::string_view kind = call.resource->kind;
  if (kind == "SelfSubjectReview") {
    review.Make("metadata").Set("creationTimestamp", FormatTime(timers_.WallNow()));
    review.Set("status", Json{{"userInfo", UserInfo(call.user)}});
  } else if (kind == "SelfSubjectRulesReview") {
    const std::string ns = spec["namespace"].text();
    if (ns.empty()) return BadRequest("no namespace on request");
    review.Set("spec", Json::MakeMap());
    review.Set("status", RulesStatus(access_.RulesOf(call.user, ns)));
  } else if (kind == "TokenReview") {
    if (spec["token"].text().empty()) return BadRequest("token is required for TokenReview in authentication");
    review.Set("status", ReviewToken(spec));
  } else {
    BERTH_CHECK_OK(CheckAccessReview(review, kind));
    if (kind == "LocalSubjectAccessReview" && review["metadata"]["namespace"].text() != call.ns) {
      return BadRequest("spec.resourceAttributes.namespace must match namespace: " + call.ns);
    }
    const bool is_own = kind == "SelfSubjectAccessReview";
    review.Set("status", AccessStatus(access_.Authorize(is_own ? call.user : SubjectIn(spec), WishIn(spec))));
  }
  SendTree(call, 201, review);
  return {};
}

}  // namespace berth::server
