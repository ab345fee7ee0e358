// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/front_proxy.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/scheduler/serving/answer.h"

namespace berth::scheduler_app {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool SameName(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, Lower, Lower); }

std::string FirstOf(const std::vector<net::Header>& headers, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto header = std::ranges::find_if(headers, [&](const net::Header& h) { return SameName(h.name, name); });
    if (header != headers.end() && !header->value.empty()) return header->value;
  }
  return {};
}

std::vector<std::string> AllOf(const std::vector<net::Header>& headers, const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const std::string& name : names) {
    for (const net::Header& header : headers) {
      if (SameName(header.name, name) && !header.value.empty()) values.push_back(header.value);
    }
  }
  return values;
}

std::map<std::string, std::vector<std::string>> ExtraOf(const std::vector<net::Header>& headers,
                                                        const std::vector<std::string>& prefixes) {
  std::map<std::string, std::vector<std::string>> extra;
  for (const std::string& prefix : prefixes) {
    for (const net::Header& header : headers) {
      if (header.name.size() < prefix.size() || !SameName(header.name.substr(0, prefix.size()), prefix)) continue;
      std::string key = header.name.substr(prefix.size());
      std::ranges::transform(key, key.begin(), Lower);
      extra[ParseTarget(key).path].push_back(header.value);
    }
  }
  return extra;
}

}  // namespace

Result<std::optional<User>> UserOfProxy(const FrontProxy& proxy, const net::PeerCertificate& certificate,
                                        const std::vector<net::Header>& headers) {
  if (proxy.ca_pem.empty()) return std::optional<User>();
  if (!certificate.front_proxy_error.empty()) return Invalid(certificate.front_proxy_error);
  const std::string& name = certificate.common_name;
  if (!proxy.allowed_names.empty() && std::ranges::find(proxy.allowed_names, name) == proxy.allowed_names.end()) {
    return Invalid(fmt::format("x509: subject with cn={} is not in the allowed list", name));
  }
  User user{.name = FirstOf(headers, proxy.username_headers),
            .uid = FirstOf(headers, proxy.uid_headers),
            .groups = AllOf(headers, proxy.group_headers),
            .extra = ExtraOf(headers, proxy.extra_headers_prefixes)};
  return user.name.empty() ? std::optional<User>() : std::optional(std::move(user));
}

}  // namespace berth::scheduler_app
