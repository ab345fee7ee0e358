// SPDX-License-Identifier: Apache-2.0
// Socket addresses and their texts.

#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::net {

// "10.0.0.1:80", "[::1]:80", "example.org:80".
std::string JoinHostPort(std::string_view host, uint16_t port);

std::string AddressText(const sockaddr_storage& address);
uint16_t PortOf(const sockaddr_storage& address);
socklen_t SizeOf(const sockaddr_storage& address);

// Nothing unless `host` is an IPv4 or IPv6 address.
std::optional<sockaddr_storage> ParseAddress(const std::string& host, uint16_t port);
// Whether it is an address of this machine alone: 127.0.0.0/8 or ::1.
bool IsLoopback(const sockaddr_storage& address);
inline bool IsHostAddress(const std::string& host) { return ParseAddress(host, 0).has_value(); }

}  // namespace berth::net
