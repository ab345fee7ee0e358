// SPDX-License-Identifier: Apache-2.0
#include "client/access/proxy_settings.h"
#include "base/ascii.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

namespace berth::client {

namespace {

using Address = std::array<unsigned char, 16>;  // IPv4 in the form that IPv6 has for it.

std::optional<Address> ParseAddress(std::string_view text) {
  std::string copy(text);
  Address address{};
  if (inet_pton(AF_INET6, copy.c_str(), address.data()) == 1) return address;
  address[10] = address[11] = 0xff;
  if (inet_pton(AF_INET, copy.c_str(), address.data() + 12) == 1) return address;
  return std::nullopt;
}

bool IsIpv4(const Address& address) {
  return std::all_of(address.begin(), address.begin() + 10, [](unsigned char byte) { return byte == 0; }) &&
         address[10] == 0xff && address[11] == 0xff;
}

bool IsLoopback(const Address& address) {
  if (IsIpv4(address)) return address[12] == 127;
  return address[15] == 1 &&
         std::all_of(address.begin(), address.end() - 1, [](unsigned char byte) { return byte == 0; });
}

std::optional<int> ParseNumber(std::string_view text) {
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// `network` such as 10.0.0.0/8.
bool IsIn(const Address& address, std::string_view network) {
  size_t slash = network.find('/');
  if (slash == std::string_view::npos) return false;
  std::optional<Address> prefix = ParseAddress(network.substr(0, slash));
  std::optional<int> length = ParseNumber(network.substr(slash + 1));
  if (!prefix || !length || IsIpv4(*prefix) != IsIpv4(address)) return false;
  int bits = *length + (IsIpv4(*prefix) ? 96 : 0);
  if (bits > 128) return false;
  for (int bit = 0; bit < bits; ++bit) {
    size_t byte = static_cast<size_t>(bit / 8);
    int mask = 0x80 >> (bit % 8);
    if (((address[byte] ^ (*prefix)[byte]) & mask) != 0) return false;
  }
  return true;
}

// Cuts the port off an entry such as example.com:443 or [::1]:443. An entry without one is for all ports.
bool CutPort(std::string_view& entry, uint16_t port) {
  bool is_bracketed = entry.starts_with('[');
  size_t colon = entry.rfind(':');
  bool has_port =
      colon != std::string_view::npos && (is_bracketed ? entry[colon - 1] == ']' : entry.find(':') == colon);
  std::optional<int> wanted;
  if (has_port) {
    wanted = ParseNumber(entry.substr(colon + 1));
    if (wanted) entry = entry.substr(0, colon);
  }
  if (entry.starts_with('[') && entry.ends_with(']')) entry = entry.substr(1, entry.size() - 2);
  return !wanted || *wanted == port;
}

bool Excludes(std::string_view entry, const std::string& host, const std::optional<Address>& address, uint16_t port) {
  if (entry == "*") return true;
  if (address && IsIn(*address, entry)) return true;
  if (!CutPort(entry, port)) return false;
  if (address) return ParseAddress(entry) == address;
  if (entry.starts_with("*.")) entry.remove_prefix(1);
  if (entry.starts_with('.')) return host.ends_with(entry);
  return host == entry || host.ends_with("." + std::string(entry));
}

}  // namespace

std::string ProxySettings::For(std::string_view scheme, std::string_view host, uint16_t port) const {
  const std::string& proxy = scheme == "https" ? https_proxy : http_proxy;
  if (proxy.empty()) return {};
  std::string name = Lower(host);
  if (name.ends_with('.')) name.pop_back();
  std::optional<Address> address = ParseAddress(name);
  if (name == "localhost" || (address && IsLoopback(*address))) return {};

  std::string list = Lower(no_proxy);
  for (std::string_view rest = list; !rest.empty();) {
    size_t comma = std::min(rest.find(','), rest.size());
    std::string_view entry = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    while (entry.starts_with(' ')) entry.remove_prefix(1);
    while (entry.ends_with(' ')) entry.remove_suffix(1);
    if (!entry.empty() && Excludes(entry, name, address, port)) return {};
  }
  return proxy.find("://") == std::string::npos ? "http://" + proxy : proxy;
}

}  // namespace berth::client
