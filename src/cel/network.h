// SPDX-License-Identifier: Apache-2.0
// IpAddress and Cidr: addresses and networks, read and printed as Go's net/netip does.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::cel {

struct IpAddress {
  std::array<uint8_t, 16> bytes{};  // An IPv4 address is in the last four.
  bool is_v4 = false;
  bool has_zone = false;

  // Go's error texts.
  static Result<IpAddress> Parse(std::string_view text);

  std::string String() const;
  bool IsMappedV4() const;  // ::ffff:1.2.3.4
  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsLinkLocalMulticast() const;
  bool IsLinkLocalUnicast() const;
  bool IsGlobalUnicast() const;
  bool operator==(const IpAddress&) const = default;
};

struct Cidr {
  IpAddress address;
  uint32_t bits = 0;

  static Result<Cidr> Parse(std::string_view text);

  std::string String() const;
  Cidr Masked() const;
  bool Contains(const IpAddress& other) const;
  bool Contains(const Cidr& other) const;
  bool operator==(const Cidr&) const = default;
};

}  // namespace berth::cel
