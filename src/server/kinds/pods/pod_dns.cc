// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_dns.h"

#include <string>
#include <string_view>

#include "api/parts/selector.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

// What the resolver of Linux can take.
constexpr size_t kNameserversMax = 3;
constexpr size_t kSearchesMax = 32;
constexpr size_t kSearchLengthMax = 2048;
constexpr size_t kHostnameLengthMax = 64;

void ValidateSearches(const Json& searches, const FieldPath& path, FieldErrors& errors) {
  if (searches.size() > kSearchesMax) errors.Invalid(path, searches, "must not have more than 32 search paths");
  size_t length = searches.empty() ? 0 : searches.size() - 1;
  for (const Json& search : searches.items()) length += search.text().size();
  if (length > kSearchLengthMax) {
    errors.Invalid(path, searches, "must not have more than 2048 characters (including spaces) in the search list");
  }
  for (size_t i = 0; i < searches.size(); ++i) {
    std::string_view search = searches[i].text();
    if (search == ".") continue;
    if (search.ends_with('.')) search.remove_suffix(1);
    Report(errors, path[i], search, CheckDnsSubdomainWithUnderscore(search));
  }
}

}  // namespace

void ValidateDnsConfig(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json* config = spec.Find("dnsConfig");
  const bool is_none = spec["dnsPolicy"].text() == "None";
  if (config == nullptr) {
    if (is_none) errors.Required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
    return;
  }
  const Json& servers = (*config)["nameservers"];
  const FieldPath servers_path = path / "nameservers";
  if (is_none && servers.empty()) {
    return errors.Required(servers_path, "must provide at least one DNS nameserver when `dnsPolicy` is None");
  }
  if (servers.size() > kNameserversMax) {
    errors.Invalid(servers_path, servers, "must not have more than 3 nameservers");
  }
  for (size_t i = 0; i < servers.size(); ++i) {
    Report(errors, servers_path[i], servers[i].text(), CheckIp(servers[i].text()));
  }
  ValidateSearches((*config)["searches"], path / "searches", errors);
  const FieldPath options_path = path / "options";
  const Json& options = (*config)["options"];
  for (size_t i = 0; i < options.size(); ++i) {
    if (options[i]["name"].text().empty()) errors.Required(options_path[i], "must not be empty");
  }
}

void ValidateHostAliases(const Json& aliases, const FieldPath& path, FieldErrors& errors) {
  for (size_t i = 0; i < aliases.size(); ++i) {
    const FieldPath at = path[i];
    const std::string& ip = aliases[i]["ip"].text();
    Report(errors, at / "ip", ip, CheckIp(ip));
    const FieldPath names_path = at / "hostnames";
    const Json& names = aliases[i]["hostnames"];
    for (size_t j = 0; j < names.size(); ++j) {
      Report(errors, names_path[j], names[j].text(), api::ValidateDnsSubdomain(names[j].text()));
    }
  }
}

void ValidateHostnameOverride(const Json& spec, const FieldPath& spec_path, FieldErrors& errors) {
  const Json* name = spec.Find("hostnameOverride");
  if (name == nullptr) return;
  const FieldPath path = spec_path / "hostnameOverride";
  if (spec["setHostnameAsFQDN"].AsBool()) {
    errors.Forbidden(path, "may not be specified when setHostnameAsFQDN is true");
  }
  if (spec["hostNetwork"].AsBool()) errors.Forbidden(path, "may not be specified when hostNetwork is true");
  if (name->text().size() > kHostnameLengthMax) errors.TooLong(path, kHostnameLengthMax);
  Report(errors, path, name->text(), api::ValidateDnsSubdomain(name->text()));
}

}  // namespace berth::server
