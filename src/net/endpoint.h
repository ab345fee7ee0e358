// SPDX-License-Identifier: Apache-2.0
// Endpoint: where a server is, as a URL says it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::net {

struct Endpoint {
  std::string scheme;  // http, https or socks5.
  std::string host;    // A name or an IP address, without brackets.
  uint16_t port = 0;
  std::string base_path;  // "" or "/prefix", without a slash at the end.
  std::string user;       // Decoded, as is the password.
  std::string password;

  bool uses_tls() const { return scheme == "https"; }
  std::string Authority() const;  // For the Host header: without the port where it is the scheme's own.
};

// Reads scheme://[user[:password]@]host[:port][/path]. Errors do not quote the password.
Result<Endpoint> ParseEndpoint(std::string_view url);

}  // namespace berth::net
