// SPDX-License-Identifier: Apache-2.0
#include "net/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

namespace berth::net {
namespace {

template <class T>
T As(const sockaddr_storage& address) {
  T result;
  std::memcpy(&result, &address, sizeof(result));
  return result;
}

}  // namespace

std::string JoinHostPort(std::string_view host, uint16_t port) {
  return host.contains(':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string AddressText(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET6) {
    const in6_addr ip = As<sockaddr_in6>(address).sin6_addr;
    inet_ntop(AF_INET6, &ip, text.data(), text.size());
  } else {
    const in_addr ip = As<sockaddr_in>(address).sin_addr;
    inet_ntop(AF_INET, &ip, text.data(), text.size());
  }
  return JoinHostPort(text.data(), PortOf(address));
}

uint16_t PortOf(const sockaddr_storage& address) {
  return ntohs(address.ss_family == AF_INET6 ? As<sockaddr_in6>(address).sin6_port : As<sockaddr_in>(address).sin_port);
}

socklen_t SizeOf(const sockaddr_storage& address) {
  return address.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

bool IsLoopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6) {
    const in6_addr ip = As<sockaddr_in6>(address).sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&ip);
  }
  return ntohl(As<sockaddr_in>(address).sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

std::optional<sockaddr_storage> ParseAddress(const std::string& host, uint16_t port) {
  sockaddr_storage address{};
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&address, &v4, sizeof(v4));
  } else if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&address, &v6, sizeof(v6));
  } else {
    return std::nullopt;
  }
  return address;
}

}  // namespace berth::net
