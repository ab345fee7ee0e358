// SPDX-License-Identifier: Apache-2.0
// StatusError: a refusal as the API writes it, and Outcome, the result of what can be refused.
//
// Clients act on code, reason and causes, and people read the message, so all of them are upstream's.

#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "server/model/field_errors.h"
#include "server/model/json.h"

namespace berth::server {

struct Resource;

struct StatusError {
  int code = 500;
  std::string reason{};
  std::string message{};
  // Details; those that are empty are left out. They are written if any is there, or if they shall be there anyhow.
  bool has_details = false;
  std::string name{};
  std::string group{};
  std::string kind{};  // The plural of the resource; for kInvalid the kind.
  std::string uid{};
  std::vector<FieldError> causes{};
  int retry_after_seconds = 0;
  std::string continues{};  // With which a list that expired can go on.

  // The Status object, with kind and apiVersion.
  Json ToJson() const;
};

template <class T>
using Outcome = std::expected<T, StatusError>;

using Refusal = std::unexpected<StatusError>;

using berth::Invalid;  // The others below are beside it.

Refusal BadRequest(std::string message);
Refusal NotFound(const Resource& resource, std::string_view name);
Refusal AlreadyExists(const Resource& resource, std::string_view name);
// `Operation cannot be fulfilled on pods "x": why`.
Refusal Conflict(const Resource& resource, std::string_view name, std::string_view why);
// `pods "x" is forbidden: why`.
Refusal Forbidden(const Resource& resource, std::string_view name, std::string_view why);
// `Pod "x" is invalid: ...`. REQUIRES: there are errors.
Refusal Invalid(std::string_view group, std::string_view kind, std::string_view name, FieldErrors errors);
Refusal Invalid(const Resource& resource, std::string_view name, FieldErrors errors);
Refusal InternalError(std::string_view why);
Refusal Expired(std::string message);
// `Request entity too large: why`.
Refusal TooLarge(std::string_view why);
Refusal TooManyRequests(std::string message, int retry_after_seconds);

}  // namespace berth::server
