// SPDX-License-Identifier: Apache-2.0
#include "server/model/signer_name.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "api/parts/selector.h"
#include "server/model/value_rules.h"

namespace berth::server {
namespace {

constexpr size_t kDomainMax = 253;
constexpr size_t kSignerNameMax = kDomainMax + 1 + kDomainMax + 63 + 1;

// What stands between separators; at least one part.
std::vector<std::string_view> PartsOf(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The problems of the first part, between dots, that has any.
void CheckParts(FieldErrors& errors, const FieldPath& path, std::string_view text,
                Problems (*check)(std::string_view part)) {
  for (const std::string_view part : PartsOf(text, '.')) {
    const Problems problems = check(part);
    for (const std::string& problem : problems) {
      errors.Invalid(path, text, fmt::format("validating label \"{}\": {}", part, problem));
    }
    if (!problems.empty()) return;
  }
}

}  // namespace

void CheckSignerName(FieldErrors& errors, const FieldPath& path, std::string_view name) {
  if (name.empty()) return errors.Required(path);
  const std::vector<std::string_view> segments = PartsOf(name, '/');
  if (segments.size() != 2) {
    return errors.Invalid(path, name,
                          "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  }
  if (segments[0].size() > kDomainMax) errors.TooLong(path, kDomainMax);
  CheckParts(errors, path, segments[0], CheckDnsLabel);
  if (segments[0].find('.') == std::string_view::npos) {
    errors.Invalid(path, segments[0], "should be a domain with at least two segments separated by dots");
  }
  CheckParts(errors, path, segments[1], [](std::string_view part) { return api::ValidateDnsSubdomain(part); });
  if (name.size() > kSignerNameMax) errors.TooLong(path, kSignerNameMax);
}

bool IsKubernetesSigner(std::string_view name) {
  const std::string_view host = name.substr(0, name.find('/'));
  return host == "kubernetes.io" || host.ends_with(".kubernetes.io");
}

}  // namespace berth::server
