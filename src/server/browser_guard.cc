// SPDX-License-Identifier: Apache-2.0
#include "server/browser_guard.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "net/address.h"
#include "net/endpoint.h"

namespace berth::server {
namespace {

constexpr size_t kHostMax = 253;  // As DNS has it. A longer one is not worth repeating.

// One text for all ways to write an address or a name.
std::string Canonical(std::string_view host) {
  std::string name = Lower(host);
  const auto address = net::ParseAddress(name, 0);
  return address ? net::AddressText(*address) : name;
}

// Whether `host` is `pattern`, or has one more label where the pattern has a star.
bool Matches(std::string_view pattern, std::string_view host) {
  if (!pattern.starts_with("*.")) return pattern == host;
  const size_t dot = host.find('.');
  return dot != std::string_view::npos && dot > 0 && host.substr(dot) == pattern.substr(1);
}

// Empty: it cannot be named.
std::string UnknownHost(std::string_view host) {
  const bool is_named = !host.empty() && host.size() <= kHostMax;
  const std::string said = is_named ? fmt::format(" \"{}\"", host) : std::string();
  return fmt::format("the request's host{} is none that this server is known by (--allowed-host {} allows it)", said,
                     is_named ? host : "NAME");
}

std::string ForeignPage(std::string_view header, std::string_view value) {
  return fmt::format("web pages of other origins must not use this server ({}: {})", header, value.substr(0, kHostMax));
}

}  // namespace

bool IsHostPattern(std::string_view text) {
  if (text.starts_with("*.")) text.remove_prefix(2);
  if (text.empty() || text.size() > kHostMax) return false;
  if (net::IsHostAddress(std::string(text))) return true;
  return std::ranges::all_of(text, [](char c) { return IsAlphanumeric(c) || c == '-' || c == '.' || c == '_'; });
}

BrowserGuard::BrowserGuard(const std::vector<std::string>& hosts) {
  for (const std::string& host : hosts) hosts_.push_back(Canonical(host));
}

bool BrowserGuard::IsKnown(std::string_view host) const {
  if (EqualsIgnoringCase(host, "localhost")) return true;
  const auto address = net::ParseAddress(std::string(host), 0);
  if (address && net::IsLoopback(*address)) return true;
  const std::string canonical = Canonical(host);
  return std::ranges::any_of(hosts_, [&](const std::string& pattern) { return Matches(pattern, canonical); });
}

std::optional<std::string> BrowserGuard::WhyRefused(const net::ServerRequest& request) const {
  const std::string_view host = request.Find("Host");
  const std::string_view origin = request.Find("Origin");
  const std::string_view site = request.Find("Sec-Fetch-Site");
  // The port that a host leaves out is that of the page's scheme.
  const std::string_view scheme = origin.starts_with("https:") ? "https://" : "http://";
  const Result<net::Endpoint> here = net::ParseEndpoint(fmt::format("{}{}", scheme, host));
  if (!here || !IsKnown(here->host)) return UnknownHost(here ? here->host : "");
  const bool is_same_origin = site == "same-origin";
  if (!site.empty() && site != "none" && !is_same_origin) return ForeignPage("Sec-Fetch-Site", site);
  if (origin.empty()) return std::nullopt;
  const Result<net::Endpoint> page = net::ParseEndpoint(origin);
  const bool is_page_here = page && Canonical(page->host) == Canonical(here->host) && page->port == here->port;
  if (is_page_here || (page && is_same_origin && IsKnown(page->host))) return std::nullopt;
  return ForeignPage("Origin", origin);
}

}  // namespace berth::server
