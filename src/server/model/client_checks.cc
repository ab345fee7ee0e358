// SPDX-License-Identifier: Apache-2.0
#include "server/model/client_checks.h"

#include <fmt/format.h>

#include <string_view>

#include "api/parts/selector.h"
#include "server/model/value_rules.h"

namespace berth::server {
namespace {

constexpr std::string_view kForm = "; desired format: https://host[/path]";

// Cuts off what stands before the separator; all of it if there is none.
std::string_view CutBefore(std::string_view& rest, std::string_view separator) {
  const size_t at = rest.find(separator);
  const std::string_view head = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + separator.size());
  return head;
}

void CheckUrl(std::string_view url, const FieldPath& path, FieldErrors& errors) {
  std::string_view fragment = url;
  std::string_view query = CutBefore(fragment, "#");
  std::string_view rest = CutBefore(query, "?");
  const std::string_view scheme = rest.contains("://") ? CutBefore(rest, "://") : std::string_view();
  std::string_view host = scheme.empty() ? std::string_view() : rest.substr(0, rest.find('/'));
  const std::string_view user = host.contains('@') ? CutBefore(host, "@") : std::string_view();
  if (scheme != "https") {
    errors.Invalid(path, scheme, fmt::format("'https' is the only allowed URL scheme{}", kForm));
  }
  if (host.empty()) errors.Invalid(path, host, fmt::format("host must be specified{}", kForm));
  if (!user.empty()) errors.Invalid(path, user, "user information is not permitted in the URL");
  if (!fragment.empty()) errors.Invalid(path, fragment, "fragments are not permitted in the URL");
  if (!query.empty()) errors.Invalid(path, query, "query parameters are not permitted in the URL");
}

void CheckServicePath(std::string_view text, const FieldPath& path, FieldErrors& errors) {
  if (text.empty() || text == "/") return;
  if (text == "//") return errors.Invalid(path, text, "segment[0] may not be empty");
  if (!text.starts_with('/')) errors.Invalid(path, text, "must start with a '/'");
  std::string_view rest = text.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (size_t i = 0;; ++i) {
    const bool is_last = !rest.contains('/');
    const std::string_view step = CutBefore(rest, "/");
    if (step.empty()) errors.Invalid(path, text, fmt::format("segment[{}] may not be empty", i));
    for (const std::string& problem : step.empty() ? Problems() : api::ValidateDnsSubdomain(step)) {
      errors.Invalid(path, text, fmt::format("segment[{}]: {}", i, problem));
    }
    if (is_last) return;
  }
}

void CheckService(const Json& service, const FieldPath& path, FieldErrors& errors) {
  if (service["name"].text().empty()) errors.Required(path / "name");
  if (service["namespace"].text().empty()) errors.Required(path / "namespace");
  const Json& port = service["port"];
  if (port.IntOr(0) < 1 || port.IntOr(0) > 65535) {
    errors.Invalid(path / "port", Json::Int(port.IntOr(0)),
                   "port is not valid: must be between 1 and 65535, inclusive");
  }
  CheckServicePath(service["path"].text(), path / "path", errors);
}

}  // namespace

void CheckClientConfig(const Json& config, const FieldPath& path, FieldErrors& errors) {
  const bool has_url = !config["url"].is_null();
  const bool has_service = !config["service"].is_null();
  if (has_url == has_service) return errors.Required(path, "exactly one of url or service is required");
  if (has_url) return CheckUrl(config["url"].text(), path / "url", errors);
  CheckService(config["service"], path / "service", errors);
}

}  // namespace berth::server
