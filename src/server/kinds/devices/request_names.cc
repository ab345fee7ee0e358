// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/devices/request_names.h"

#include <algorithm>

#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kReferencesMax = 32;

}  // namespace

RequestNames::RequestNames(const Json& requests) {
  for (const Json& request : requests.items()) {
    std::set<std::string_view>& alternatives = names_[request["name"].text()];
    for (const Json& each : request["firstAvailable"].items()) alternatives.insert(each["name"].text());
  }
}

bool RequestNames::Has(std::string_view reference) const {
  const size_t slash = reference.find('/');
  const auto it = names_.find(reference.substr(0, slash));
  if (it == names_.end()) return false;
  return slash == reference.npos || it->second.contains(reference.substr(slash + 1));
}

void RequestNames::ValidateReference(std::string_view reference, const FieldPath& path, FieldErrors& errors) const {
  constexpr std::string_view kRule =
      "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const size_t slash = reference.find('/');
  if (std::ranges::count(reference, '/') > 1) return errors.Invalid(path, reference, kRule);
  const std::string_view request = reference.substr(0, slash);
  Report(errors, path, request, CheckDnsLabel(request));
  if (slash != reference.npos) {
    const std::string_view alternative = reference.substr(slash + 1);
    Report(errors, path, alternative, CheckDnsLabel(alternative));
  }
  if (!Has(reference)) errors.Invalid(path, reference, kRule);
}

void RequestNames::ValidateReferences(const Json& references, const FieldPath& path, DeviceErrors& errors) const {
  if (!CheckCount(errors.declared, path, references.size(), kReferencesMax)) return;
  std::set<std::string_view> seen;
  for (size_t i = 0; i < references.size(); ++i) {
    const std::string& reference = references[i].text();
    ValidateReference(reference, path[i], errors.written);
    if (!seen.insert(reference).second) errors.declared.Duplicate(path[i], reference);
  }
}

}  // namespace berth::server
