// SPDX-License-Identifier: Apache-2.0
// ProxySettings: which proxy the environment asks for, and for which servers.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::client {

struct ProxySettings {
  std::string http_proxy;
  std::string https_proxy;
  std::string no_proxy;  // Names, .domains, addresses and networks, with or without port, between commas; or *.

  // The address of the proxy to a server, or "". Never one to this machine itself.
  std::string For(std::string_view scheme, std::string_view host, uint16_t port) const;
};

}  // namespace berth::client
