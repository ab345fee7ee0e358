// SPDX-License-Identifier: Apache-2.0
#include "server/rest/gate.h"

#include <algorithm>

#include "base/ascii.h"
#include "server/rest/selection.h"

namespace berth::server {
namespace {

std::string VerbOfMethod(const std::string& method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  return method == "DELETE" ? "delete" : "";
}

// The one object that a list is about, if its selector says so.
std::string NameInSelector(const Query& query) {
  const Result<std::vector<FieldTerm>> terms = ParseFieldSelector(query.Get("fieldSelector"));
  if (!terms) return {};
  const auto named =
      std::ranges::find_if(*terms, [](const FieldTerm& term) { return term.is_equal && term.path == "metadata.name"; });
  if (named == terms->end()) return {};
  const std::string& name = named->value;
  const bool is_segment = name != "." && name != ".." && name.find_first_of("/%") == std::string::npos;
  return is_segment ? name : std::string();
}

// Whether the request is about a resource; `at` is then where the path names it, behind the version.
bool IsAboutResource(const std::vector<std::string>& segments, size_t& at) {
  if (segments.size() < 3) return false;
  at = segments.front() == "api" ? 2 : 3;
  return segments.front() == "api" || (segments.front() == "apis" && segments.size() > 3);
}

bool HasImpersonation(const net::ServerRequest& request) {
  constexpr std::string_view kPrefix = "impersonate-";
  return std::ranges::any_of(request.headers, [&](const net::Header& header) {
    return header.name.size() > kPrefix.size() &&
           EqualsIgnoringCase(std::string_view(header.name).substr(0, kPrefix.size()), kPrefix);
  });
}

}  // namespace

Attributes AttributesOf(const std::string& method, const Target& target) {
  const std::vector<std::string>& segments = target.segments;
  Attributes attributes{.path = target.path};
  size_t at = 0;
  if (!IsAboutResource(segments, at)) {
    attributes.verb = Lower(method);
    return attributes;
  }
  attributes.is_resource = true;
  if (segments.front() == "apis") attributes.group = segments[1];
  attributes.verb = VerbOfMethod(method);
  if ((segments[at] == "watch" || segments[at] == "proxy") && segments.size() > at + 1)
    attributes.verb = segments[at++];
  const auto part = [&](size_t i) { return at + i < segments.size() ? segments[at + i] : std::string(); };
  if (part(0) == "namespaces") {
    attributes.ns = part(1);
    if (!part(2).empty() && !IsPartOfNamespace(part(2))) at += 2;
  }
  attributes.resource = part(0);
  attributes.name = part(1);
  attributes.subresource = part(2);
  if (!attributes.name.empty()) return attributes;
  if (attributes.verb == "get") {
    attributes.verb = target.query.IsSet("watch") ? "watch" : "list";
    attributes.name = NameInSelector(target.query);
  }
  if (attributes.verb == "delete") attributes.verb = "deletecollection";
  return attributes;
}

Outcome<User> PassGate(AccessControl& access, const net::ServerRequest& request) {
  User user = BERTH_TRY(access.Authenticate(request));
  if (!access.asks_roles() && !HasImpersonation(request)) return user;
  const Result<Target> target = ParseTarget(request.target);
  if (!target) return BadRequest("invalid URL escape");
  const Attributes attributes = AttributesOf(request.method, *target);
  User actual = BERTH_TRY(access.Impersonate(user, request, attributes));
  const Decision decision = access.Authorize(actual, attributes);
  if (!decision.is_allowed) return NotAuthorized(actual, attributes, decision.reason);
  return actual;
}

}  // namespace berth::server
