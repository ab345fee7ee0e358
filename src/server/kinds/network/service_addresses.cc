// SPDX-License-Identifier: Apache-2.0
// The addresses of services.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "server/kinds/network/network_rules.h"
#include "server/kinds/network/service_validation.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr FieldPath kClusterIpsPath("spec.clusterIPs");

bool IsExternalName(const Json& spec) { return spec["type"].text() == "ExternalName"; }

void ValidateFamilies(const Json& spec, FieldErrors& errors) {
  const Json& families = spec["ipFamilies"];
  const FieldPath path = kSpec / "ipFamilies";
  std::set<std::string> seen;
  for (size_t i = 0; i < families.size(); ++i) {
    CheckOneOf(errors, path[i], families[i].text(), {"IPv4", "IPv6"});
    if (!seen.insert(families[i].text()).second) errors.Duplicate(path[i], families[i].text());
  }
  CheckMemberOneOf(errors, kSpec, spec, "ipFamilyPolicy", {"PreferDualStack", "RequireDualStack", "SingleStack"});
}

// Whether all are addresses.
bool ValidateAddresses(const Json& addresses, FieldErrors& errors) {
  bool is_valid = true;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const std::string& address = addresses[i].text();
    if (i == 0 && address == "None") {
      if (addresses.size() == 1) continue;
      is_valid = false;
      errors.Invalid(kClusterIpsPath, addresses, "'None' must be the first and only value");
      continue;
    }
    const Problems problems = CheckIp(address);
    is_valid = is_valid && problems.empty();
    Report(errors, kClusterIpsPath[i], address, problems);
  }
  if (addresses.size() > 2) errors.Invalid(kClusterIpsPath, addresses, "may only hold up to 2 values");
  return is_valid;
}

void ValidateClusterIps(const Json& spec, FieldErrors& errors) {
  if (IsExternalName(spec)) return;
  const Json& addresses = spec["clusterIPs"];
  const std::string& first = spec["clusterIP"].text();
  if (!first.empty() && addresses.empty()) {
    errors.Required(kClusterIpsPath);
  } else if (!first.empty() && addresses[size_t{0}].text() != first) {
    errors.Invalid(kClusterIpsPath, addresses, "first value must match `clusterIP`");
  } else if (first.empty() && !addresses.empty()) {
    errors.Invalid(kClusterIpsPath, addresses, "must be empty when `clusterIP` is not specified");
  }
  ValidateFamilies(spec, errors);
  if (!ValidateAddresses(addresses, errors)) return;
  if (addresses.size() > 1 && IpFamily(addresses[size_t{0}].text()) == IpFamily(addresses[size_t{1}].text())) {
    errors.Invalid(kClusterIpsPath, addresses, "may specify no more than one IP for each IP family");
  }
  if (IsHeadless(spec)) return;
  const Json& families = spec["ipFamilies"];
  for (size_t i = 0; i < std::min(addresses.size(), families.size()); ++i) {
    const int family = families[i].text() == "IPv4" ? 4 : families[i].text() == "IPv6" ? 6 : 0;
    if (family == 0 || IpFamily(addresses[i].text()) == family) continue;
    errors.Invalid(kClusterIpsPath[i], addresses[i].text(),
                   fmt::format("expected an IPv{} value as indicated by `ipFamilies[{}]`", family, i));
  }
}

// The cluster has addresses of version 4 alone. Whether that is enough.
bool ValidateStack(const Json& spec, FieldErrors& errors) {
  if (IsExternalName(spec) || IsFreeOfFamilies(spec)) return true;
  const Json& addresses = spec["clusterIPs"];
  if (IpFamily(addresses[size_t{0}].text()) == 6) {
    errors.Invalid(kClusterIpsPath[0], addresses, "IPv6 is not configured on this cluster");
    return false;
  }
  bool is_valid = true;
  if (spec["ipFamilyPolicy"].text() == "RequireDualStack") {
    is_valid = false;
    errors.Invalid(kSpec / "ipFamilyPolicy", "RequireDualStack",
                   "this cluster is not configured for dual-stack services");
  }
  const FieldPath path = kSpec / "ipFamilies";
  const Json& families = spec["ipFamilies"];
  for (size_t i = 0; i < families.size(); ++i) {
    if (families[i].text() != "IPv6") continue;
    is_valid = false;
    errors.Invalid(path[i], "IPv6", "not configured on this cluster");
  }
  return is_valid;
}

}  // namespace

bool ValidateAllocation(const Json& spec, FieldErrors& errors) {
  const size_t before = errors.all().size();
  ValidateClusterIps(spec, errors);
  return errors.all().size() == before && ValidateStack(spec, errors);
}

void ValidateExternalIps(const Json& addresses, FieldErrors& errors) {
  const FieldPath path = kSpec / "externalIPs";
  for (size_t i = 0; i < addresses.size(); ++i) {
    const std::string& address = addresses[i].text();
    const Problems problems = CheckIp(address);
    Report(errors, path[i], address, problems.empty() ? CheckEndpointIp(address) : problems);
  }
}

}  // namespace berth::server
