// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/network/network_rules.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

namespace berth::server {
namespace {

// An address in network order; one of version 4 stands in the last four bytes of a mapped address.
struct Address {
  int family = 0;
  std::array<unsigned char, 16> bytes{};
};

std::optional<Address> Parse(std::string_view text) {
  Address address{.family = IpFamily(text)};
  if (address.family == 0) return std::nullopt;
  if (address.family == 6) {
    inet_pton(AF_INET6, std::string(text).c_str(), address.bytes.data());
    return address;
  }
  address.bytes[10] = address.bytes[11] = 0xff;
  size_t part = 12;
  for (const char c : text) {
    if (c == '.') {
      ++part;
    } else {
      address.bytes[part] = static_cast<unsigned char>(address.bytes[part] * 10 + (c - '0'));
    }
  }
  return address;
}

struct Cidr {
  std::string_view ip;
  std::string_view length_text;
  Address address;
  int length = 0;
};

std::optional<Cidr> ParseCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  Cidr cidr{.ip = text.substr(0, slash), .length_text = text.substr(slash + 1), .address = {}};
  const auto address = Parse(cidr.ip);
  if (!address) return std::nullopt;
  cidr.address = *address;
  const std::string_view digits = cidr.length_text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), cidr.length);
  if (digits.starts_with('-') || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (cidr.length > (cidr.address.family == 4 ? 32 : 128)) return std::nullopt;
  return cidr;
}

bool IsMapped(const Address& address) {
  return address.family == 6 && IN6_IS_ADDR_V4MAPPED(reinterpret_cast<const in6_addr*>(address.bytes.data()));
}

bool HasBitsBeyond(const Cidr& cidr) {
  const int first = cidr.length + (cidr.address.family == 4 ? 96 : 0);
  for (int bit = first; bit < 128; ++bit) {
    if ((cidr.address.bytes[static_cast<size_t>(bit / 8)] >> (7 - bit % 8) & 1) != 0) return true;
  }
  return false;
}

bool HasLeadingZeros(const Cidr& cidr) {
  const Problems problems = CheckIp(cidr.ip);
  const bool in_ip = !problems.empty() && !IsMapped(cidr.address);
  return in_ip || (cidr.length_text.size() > 1 && cidr.length_text.front() == '0');
}

}  // namespace

Problems CheckCidr(std::string_view value) {
  const auto cidr = ParseCidr(value);
  if (!cidr) return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
  if (HasLeadingZeros(*cidr)) return {"must not have leading 0s in IP or prefix length"};
  if (IsMapped(cidr->address)) return {"must not have an IPv4-mapped IPv6 address"};
  if (HasBitsBeyond(*cidr)) return {"must not have bits set beyond the prefix length"};
  return {};
}

int CidrFamily(std::string_view value) {
  const auto cidr = ParseCidr(value);
  return cidr ? cidr->address.family : 0;
}

bool IsStrictSubset(std::string_view value, std::string_view of) {
  const auto inner = ParseCidr(value);
  const auto outer = ParseCidr(of);
  if (!inner || !outer || inner->address.family != outer->address.family || outer->length >= inner->length) {
    return false;
  }
  const int end = outer->length + (outer->address.family == 4 ? 96 : 0);
  for (int bit = 0; bit < end; ++bit) {
    const auto byte = static_cast<size_t>(bit / 8);
    if (((inner->address.bytes[byte] ^ outer->address.bytes[byte]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

Problems CheckInterfaceAddress(std::string_view value) {
  const auto cidr = ParseCidr(value);
  if (!cidr) return {"must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"};
  const bool is_v4 = cidr->address.family == 4 || IsMapped(cidr->address);
  char ip[INET6_ADDRSTRLEN];
  const unsigned char* bytes = cidr->address.bytes.data();
  inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? bytes + 12 : bytes, ip, sizeof(ip));
  const int length = is_v4 && cidr->length > 32 ? cidr->length - 96 : cidr->length;
  const std::string canonical = fmt::format("{}/{}", ip, length);
  if (value == canonical) return {};
  return {fmt::format("must be in canonical form (\"{}\")", canonical)};
}

Problems CheckEndpointIp(std::string_view value) {
  const auto address = Parse(value);
  if (!address) return {"must be a valid IP address"};
  const in6_addr& ip = *reinterpret_cast<const in6_addr*>(address->bytes.data());
  const bool is_v4 = address->family == 4 || IsMapped(*address);
  const unsigned char* v4 = address->bytes.data() + 12;
  const auto is_v4_range = [&](int a, int b, int c) {
    return is_v4 && v4[0] == a && (b < 0 || v4[1] == b) && (c < 0 || v4[2] == c);
  };
  const bool is_unspecified = is_v4 ? (v4[0] | v4[1] | v4[2] | v4[3]) == 0 : IN6_IS_ADDR_UNSPECIFIED(&ip);
  if (is_unspecified) return {fmt::format("may not be unspecified ({})", value)};
  if (is_v4_range(127, -1, -1) || (!is_v4 && IN6_IS_ADDR_LOOPBACK(&ip))) {
    return {"may not be in the loopback range (127.0.0.0/8, ::1/128)"};
  }
  if (is_v4_range(169, 254, -1) || (!is_v4 && IN6_IS_ADDR_LINKLOCAL(&ip))) {
    return {"may not be in the link-local range (169.254.0.0/16, fe80::/10)"};
  }
  if (is_v4_range(224, 0, 0) || (!is_v4 && IN6_IS_ADDR_MC_LINKLOCAL(&ip))) {
    return {"may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"};
  }
  return {};
}

}  // namespace berth::server
