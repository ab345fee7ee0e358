// SPDX-License-Identifier: Apache-2.0
#include "server/access/attributes.h"

#include <fmt/format.h>

#include "api/document/field_error.h"
#include "base/markup.h"

namespace berth::server {
namespace {

using api::GoQuote;

std::string WhatIsForbidden(const User& user, const Attributes& attributes) {
  if (!attributes.is_resource) {
    return fmt::format("User {} cannot {} path {}", GoQuote(user.name), attributes.verb, GoQuote(attributes.path));
  }
  const std::string place =
      attributes.ns.empty() ? "at the cluster scope" : fmt::format("in the namespace {}", GoQuote(attributes.ns));
  return fmt::format("User {} cannot {} resource {} in API group {} {}", GoQuote(user.name), attributes.verb,
                     GoQuote(attributes.FullResource()), GoQuote(attributes.group), place);
}

}  // namespace

Refusal ForbiddenResource(const std::string& group, const std::string& resource, const std::string& name,
                          const std::string& why) {
  const std::string qualified = group.empty() ? resource : resource + "." + group;
  std::string message;
  if (!qualified.empty())
    message = name.empty() ? qualified + " is " : fmt::format("{} {} is ", qualified, GoQuote(name));
  message += "forbidden: " + why;
  return Refusal(StatusError{.code = 403,
                             .reason = "Forbidden",
                             .message = std::move(message),
                             .has_details = true,
                             .name = name,
                             .group = group,
                             .kind = resource});
}

Refusal NotAuthorized(const User& user, const Attributes& attributes, const std::string& reason) {
  const std::string why = EscapeMarkup(WhatIsForbidden(user, attributes));
  return ForbiddenResource(attributes.group, attributes.resource, attributes.name,
                           reason.empty() ? why : why + ": " + reason);
}

}  // namespace berth::server
