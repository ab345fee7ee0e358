// SPDX-License-Identifier: Apache-2.0
#include "server/model/status.h"

#include <fmt/format.h>

#include <string>
#include <unordered_set>
#include <utility>

#include "api/document/field_error.h"
#include "server/model/resource.h"

namespace berth::server {
namespace {

void SetText(Json& object, std::string_view name, const std::string& text) {
  if (!text.empty()) object.Set(name, text);
}

Json CauseToJson(const FieldError& cause) {
  Json json = Json::MakeMap();
  SetText(json, "reason", cause.reason);
  SetText(json, "message", cause.message);
  SetText(json, "field", cause.field);
  return json;
}

// About an object: names the resource, and the message begins with both.
StatusError About(int code, std::string_view reason, const Resource& resource, std::string_view name) {
  StatusError error{.code = code, .reason = std::string(reason)};
  error.has_details = true;
  error.name = name;
  error.group = resource.group;
  error.kind = resource.plural;
  return error;
}

std::string Named(const Resource& resource, std::string_view name) {
  return fmt::format("{} {}", resource.Qualified(), api::GoQuote(name));
}

// Several rules may find the same error; it is told once.
std::vector<FieldError> WithoutRepetitions(std::vector<FieldError> errors) {
  std::unordered_set<std::string> told;
  std::erase_if(errors, [&](const FieldError& error) {
    return !told.insert(fmt::format("{}\n{}\n{}", error.field, error.message, error.reason)).second;
  });
  return errors;
}

// One error as it is, several in brackets.
std::string JoinCauses(const std::vector<FieldError>& errors) {
  std::unordered_set<std::string> told;
  std::string texts;
  for (const FieldError& error : errors) {
    std::string text = fmt::format("{}: {}", error.field, error.message);
    if (!told.insert(text).second) continue;
    if (!texts.empty()) texts += ", ";
    texts += text;
  }
  return told.size() == 1 ? texts : "[" + texts + "]";
}

}  // namespace

Json StatusError::ToJson() const {
  Json details = Json::MakeMap();
  SetText(details, "name", name);
  SetText(details, "group", group);
  SetText(details, "kind", kind);
  SetText(details, "uid", uid);
  if (retry_after_seconds != 0) details.Set("retryAfterSeconds", Json::Int(retry_after_seconds));
  for (const FieldError& cause : causes) details.Make("causes").Append(CauseToJson(cause));

  Json status{{"kind", Json::String("Status")},
              {"apiVersion", Json::String("v1")},
              {"metadata", continues.empty() ? Json::MakeMap() : Json{{"continue", Json::String(continues)}}},
              {"status", Json::String("Failure")},
              {"code", Json::Int(code)}};
  SetText(status, "message", message);
  SetText(status, "reason", reason);
  if (has_details || !details.empty()) status.Set("details", std::move(details));
  return status;
}

Refusal BadRequest(std::string message) {
  return Refusal(StatusError{.code = 400, .reason = "BadRequest", .message = std::move(message)});
}

Refusal NotFound(const Resource& resource, std::string_view name) {
  StatusError error = About(404, "NotFound", resource, name);
  error.message = Named(resource, name) + " not found";
  return Refusal(std::move(error));
}

Refusal AlreadyExists(const Resource& resource, std::string_view name) {
  StatusError error = About(409, "AlreadyExists", resource, name);
  error.message = Named(resource, name) + " already exists";
  return Refusal(std::move(error));
}

Refusal Conflict(const Resource& resource, std::string_view name, std::string_view why) {
  StatusError error = About(409, "Conflict", resource, name);
  error.message = fmt::format("Operation cannot be fulfilled on {}: {}", Named(resource, name), why);
  return Refusal(std::move(error));
}

Refusal Forbidden(const Resource& resource, std::string_view name, std::string_view why) {
  StatusError error = About(403, "Forbidden", resource, name);
  error.message = fmt::format("{} is forbidden: {}", name.empty() ? resource.Qualified() : Named(resource, name), why);
  return Refusal(std::move(error));
}

Refusal Invalid(std::string_view group, std::string_view kind, std::string_view name, FieldErrors errors) {
  StatusError error{.code = 422, .reason = "Invalid"};
  error.has_details = true;
  error.name = name;
  error.group = group;
  error.kind = kind;
  error.causes = WithoutRepetitions(errors.Take());
  error.message = fmt::format("{}{}{} {} is invalid: {}", kind, group.empty() ? "" : ".", group, api::GoQuote(name),
                              JoinCauses(error.causes));
  return Refusal(std::move(error));
}

Refusal Invalid(const Resource& resource, std::string_view name, FieldErrors errors) {
  // Of views upstream names the kind that is kept.
  return Invalid(resource.stored->group, resource.kind, name, std::move(errors));
}

Refusal InternalError(std::string_view why) {
  StatusError error{.code = 500, .reason = "InternalError", .message = fmt::format("Internal error occurred: {}", why)};
  error.causes.push_back({.reason = {}, .message = std::string(why), .field = {}});
  return Refusal(std::move(error));
}

Refusal Expired(std::string message) {
  return Refusal(StatusError{.code = 410, .reason = "Expired", .message = std::move(message)});
}

Refusal TooLarge(std::string_view why) {
  return Refusal(StatusError{
      .code = 413, .reason = "RequestEntityTooLarge", .message = fmt::format("Request entity too large: {}", why)});
}

Refusal TooManyRequests(std::string message, int retry_after_seconds) {
  StatusError error{.code = 429, .reason = "TooManyRequests", .message = std::move(message)};
  error.has_details = true;
  error.retry_after_seconds = retry_after_seconds;
  return Refusal(std::move(error));
}

}  // namespace berth::server
