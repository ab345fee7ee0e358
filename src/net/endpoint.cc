// SPDX-License-Identifier: Apache-2.0
#include "net/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "net/address.h"
#include "net/header.h"

namespace berth::net {
namespace {

uint16_t DefaultPort(std::string_view scheme) {
  if (scheme == "https") return 443;
  return scheme == "socks5" ? 1080 : 80;
}

Result<std::string> DecodePercent(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return Invalid("the URL has an invalid escape in its user");
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

Result<void> ReadUser(std::string_view text, Endpoint& endpoint) {
  const size_t colon = text.find(':');
  endpoint.user = BERTH_TRY(DecodePercent(text.substr(0, colon)));
  if (colon != std::string_view::npos) endpoint.password = BERTH_TRY(DecodePercent(text.substr(colon + 1)));
  return {};
}

bool IsHostCharacter(char c) { return c > ' ' && c != 0x7f && !std::string_view("/?#@\\[]<>\"").contains(c); }

Result<void> ReadHost(std::string_view text, Endpoint& endpoint) {
  std::string_view port;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return Invalid("the URL has no ']' after its host");
    endpoint.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    const size_t colon = std::min(text.find(':'), text.size());
    endpoint.host = text.substr(0, colon);
    port = text.substr(colon);
  }
  if (endpoint.host.empty() || !std::ranges::all_of(endpoint.host, IsHostCharacter)) {
    return Invalid("the URL has no valid host");
  }
  endpoint.port = DefaultPort(endpoint.scheme);
  if (port.empty() || port == ":") return {};
  const auto [end, error] = std::from_chars(port.data() + 1, port.data() + port.size(), endpoint.port);
  if (port[0] != ':' || error != std::errc() || end != port.data() + port.size() || endpoint.port == 0) {
    return Invalid(fmt::format("the URL has an invalid port \"{}\"", port.substr(port[0] == ':' ? 1 : 0)));
  }
  return {};
}

}  // namespace

std::string Endpoint::Authority() const {
  if (port != DefaultPort(scheme)) return JoinHostPort(host, port);
  return host.contains(':') ? fmt::format("[{}]", host) : host;
}

Result<Endpoint> ParseEndpoint(std::string_view url) {
  Endpoint endpoint;
  const size_t colon = url.find("://");
  if (colon == std::string_view::npos) return Invalid("the URL has no scheme");
  for (const char c : url.substr(0, colon)) endpoint.scheme += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (endpoint.scheme != "http" && endpoint.scheme != "https" && endpoint.scheme != "socks5") {
    return Invalid(fmt::format("the scheme \"{}\" is not supported", endpoint.scheme));
  }
  std::string_view rest = url.substr(colon + 3);
  const size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, slash);
  std::string_view path = rest.substr(slash);
  path = path.substr(0, path.find_first_of("?#"));
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!std::ranges::all_of(path, [](char c) { return c > ' ' && c != 0x7f; })) {
    return Invalid("the URL has an invalid path");
  }
  endpoint.base_path = path;
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    BERTH_CHECK_OK(ReadUser(authority.substr(0, at), endpoint));
    authority.remove_prefix(at + 1);
  }
  BERTH_CHECK_OK(ReadHost(authority, endpoint));
  return endpoint;
}

}  // namespace berth::net
