// SPDX-License-Identifier: Apache-2.0
// Subresources that are no part of their object: bindings, evictions, scales, tokens.

#include <fmt/format.h>

#include "base/uuid.h"
#include "server/access/account_tokens.h"
#include "server/objects/pod_actions.h"
#include "server/objects/scale.h"
#include "server/patch/body.h"
#include "server/rest/answer.h"
#include "server/rest/api_server.h"

namespace berth::server {
namespace {

Json SuccessStatus(int code) {
  return Json{{"kind", Json::String("Status")},
              {"apiVersion", Json::String("v1")},
              {"metadata", Json::MakeMap()},
              {"status", Json::String("Success")},
              {"code", Json::Int(code)}};
}

constexpr std::string_view kTokenGroup = "authentication.k8s.io";
constexpr std::string_view kTokenKind = "TokenRequest";

// What a request for a token says of its account must be what the path says.
Outcome<void> CheckPlace(const Json& metadata, const Call& call) {
  const std::string& name = metadata["name"].text();
  const std::string& ns = metadata["namespace"].text();
  FieldErrors errors;
  if (!name.empty() && name != call.name) {
    errors.Invalid("metadata.name", name, "must match the service account name if specified");
  } else if (!ns.empty() && ns != call.ns) {
    errors.Invalid("metadata.namespace", ns, "must match the service account namespace if specified");
  }
  if (!errors.empty()) return Invalid(kTokenGroup, kTokenKind, call.name, std::move(errors));
  return {};
}

// Nor is a token given out for an account that was made anew under the name of the one that is meant.
Outcome<void> CheckAccountUid(const Json& metadata, const StoredObject& account) {
  const std::string& uid = metadata["uid"].text();
  if (uid.empty() || uid == account.uid()) return {};
  return std::unexpected(StatusError{
      .code = 409,
      .reason = "Conflict",
      .message = fmt::format("Operation cannot be fulfilled on {}.{} {}: the UID in the token request ({}) does not "
                             "match the UID of the service account ({})",
                             kTokenKind, kTokenGroup, api::GoQuote(account.name()), uid, account.uid()),
      .has_details = true,
      .name = std::string(account.name()),
      .group = std::string(kTokenGroup),
      .kind = std::string(kTokenKind)});
}

Outcome<int64_t> TokenLifetime(const Json& spec) {
  constexpr int64_t kDefaultSeconds = 3600;
  constexpr int64_t kMinSeconds = 600;
  constexpr int64_t kMaxSeconds = int64_t{1} << 32;
  const int64_t seconds = spec["expirationSeconds"].IntOr(kDefaultSeconds);
  FieldErrors errors;
  if (seconds < kMinSeconds) {
    errors.Invalid("spec.expirationSeconds", Json::Int(seconds), "may not specify a duration less than 10 minutes");
  } else if (seconds > kMaxSeconds) {
    errors.Invalid("spec.expirationSeconds", Json::Int(seconds), "may not specify a duration larger than 2^32 seconds");
  }
  if (!errors.empty()) return Invalid(kTokenGroup, kTokenKind, "", std::move(errors));
  return seconds;
}

}  // namespace

Outcome<void> ApiServer::CreateIn(Call& call) {
  const WriteOptions options = BERTH_TRY(OptionsOf(call, "CreateOptions"));
  const Subresource* subresource = call.resource->FindSubresource(call.subresource);
  const bool is_binding = call.resource->plural == "bindings" || call.subresource == "binding";
  const bool is_eviction = call.subresource == "eviction";
  if (!is_binding && !is_eviction) {
    return BadRequest(fmt::format("{}/{} is not supported", call.resource->plural, call.subresource));
  }
  const api::wire::Kind* kind =
      is_binding ? api::wire::FindKind("v1", "Binding") : api::wire::FindKind("policy/v1", subresource->kind);
  const Body body =
      BERTH_TRY(DecodeBody(call.request.Find("Content-Type"), call.request.body, *kind, FieldValidation::kIgnore));
  const std::string& ns = body.object["metadata"]["namespace"].text();
  if (!ns.empty() && ns != call.ns) {
    return BadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  const std::string name = call.subresource.empty() ? body.object["metadata"]["name"].text() : call.name;
  if (is_binding) {
    BERTH_CHECK_OK(BindPod(objects_, call.ns, name, body.object, options.dry_run, options.dialog, options.user));
  } else {
    BERTH_CHECK_OK(EvictPod(objects_, call.ns, name, body.object, options.dry_run, options.dialog, options.user));
  }
  SendTree(call, 201, SuccessStatus(201));
  return {};
}

Outcome<void> ApiServer::Connect(Call& call) {
  const ObjectPtr pod = BERTH_TRY(objects_.Get(*call.resource, call.ns, call.name));
  if (pod->Field("spec.nodeName").empty()) {
    return BadRequest(fmt::format("pod {} does not have a host assigned", call.name));
  }
  return BadRequest(fmt::format("{} is not supported: the containers of this cluster are simulated", call.subresource));
}

Outcome<void> ApiServer::CreateToken(Call& call) {
  static const api::wire::Kind* const kKind = api::wire::FindKind("authentication.k8s.io/v1", "TokenRequest");
  Body body =
      BERTH_TRY(DecodeBody(call.request.Find("Content-Type"), call.request.body, *kKind, FieldValidation::kIgnore));
  Json& request = body.object;
  BERTH_CHECK_OK(CheckPlace(request["metadata"], call));
  const ObjectPtr account = BERTH_TRY(objects_.Get(*call.resource, call.ns, call.name));
  BERTH_CHECK_OK(CheckAccountUid(request["metadata"], *account));
  const int64_t seconds = BERTH_TRY(TokenLifetime(request["spec"]));
  Json& metadata = request.Make("metadata");
  metadata.Set("name", call.name);
  metadata.Set("namespace", call.ns);
  metadata.Set("uid", account->uid());
  metadata.Set("creationTimestamp", FormatTime(timers_.WallNow()));
  if (request["spec"]["audiences"].empty()) {
    request.Make("spec").Set("audiences", Json::MakeList({Json::String(kAudience)}));
  }
  request.Make("spec").Set("expirationSeconds", Json::Int(seconds));
  AccountTokens::Order order{.account = {.ns = call.ns, .name = call.name},
                             .audiences = {},
                             .bound_to = request["spec"]["boundObjectRef"],
                             .id = MakeUuid(random_.Next(), random_.Next()),
                             .now = timers_.WallNow(),
                             .lifetime = Seconds(seconds)};
  for (const Json& audience : request["spec"]["audiences"].items()) order.audiences.push_back(audience.text());
  request.Set("status", Json{{"token", Json::String(BERTH_TRY(access_.account_tokens().Issue(order)))},
                             {"expirationTimestamp", Json::String(FormatTime(order.now + order.lifetime))}});
  SendTree(call, 201, request);
  return {};
}

Outcome<void> ApiServer::GetScale(Call& call) {
  const ObjectPtr object = BERTH_TRY(objects_.Get(*call.resource, call.ns, call.name));
  BERTH_CHECK_OK(Show(call, std::span(&object, 1)));
  const Json shown = ShownTree(call, *object);
  BERTH_CHECK_OK(CheckScale(*call.resource, shown));
  SendTree(call, 200, MakeScale(*call.resource, shown));
  return {};
}

Outcome<void> ApiServer::WriteScale(Call& call, Objects::Edit edit, Objects::Edit own) {
  const WriteOptions options = BERTH_TRY(OptionsOf(call, "UpdateOptions"));
  auto scale_object = [&](const Json& current) -> Outcome<Json> {
    const Json old_scale = MakeScale(*call.resource, current);
    Json scale = BERTH_TRY(edit(old_scale));
    Json object = own ? BERTH_TRY(own(current)) : current;
    // Webhooks see the scale, and not the object that has it.
    BERTH_CHECK_OK(objects_.AskWebhooks({.verb = Verb::kUpdate,
                                         .resource = *call.resource,
                                         .subresource = call.subresource,
                                         .ns = call.ns,
                                         .name = call.name,
                                         .object = &scale,
                                         .old = &old_scale,
                                         .user = options.user},
                                        options));
    const int64_t replicas = scale["spec"]["replicas"].IntOr(0);
    const bool is_custom = call.resource->custom != nullptr;
    if (replicas < 0 && !is_custom) {  // What rules custom resources have is looked at later.
      FieldErrors errors;
      errors.Invalid("spec.replicas", Json::Int(replicas), "must be greater than or equal to 0");
      return Invalid("autoscaling", "Scale", call.name, std::move(errors));
    }
    SetReplicas(*call.resource, object, replicas);
    Json& metadata = object.Make("metadata");
    // What the client says of versions counts.
    for (const std::string_view name : {"resourceVersion", "uid"}) {
      if (is_custom && scale["metadata"][name].text().empty()) continue;
      metadata.Set(name, Json::String(scale["metadata"][name].text()));
    }
    return object;
  };
  WriteOptions admitted = options;
  admitted.is_admitted = true;
  const Objects::Written written =
      BERTH_TRY(objects_.Update(*call.resource, call.ns, call.name, admitted, std::move(scale_object), {}, !own));
  return SendWritten(call, written.object, 200);
}

}  // namespace berth::server
