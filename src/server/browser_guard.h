// SPDX-License-Identifier: Apache-2.0
// BrowserGuard: keeps web pages from using a server that trusts whoever can reach it.
//
// A page can make the browser of its visitor send requests to the visitor's own machine. Browsers say so: in Origin
// and Sec-Fetch-Site, and a page whose name was made to point here (DNS rebinding) names itself as the Host. So
// requests are let in only if their Host is one that the server is known by, and if no page of another origin is behind
// them. Programs send neither Origin nor Sec-Fetch-Site.
//
// A page that reaches the server through a proxy on its own origin, such as `kubectl proxy`, is let in: its browser
// says same-origin, and its Origin is a known host on another port.
//
// Thread: any.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_server.h"

namespace berth::server {

class BrowserGuard {
 public:
  // Loopback is always known. `hosts` are names and addresses in any case; "*.example.org" stands for every name with
  // one more label.
  explicit BrowserGuard(const std::vector<std::string>& hosts);

  // Why the request is refused; nothing: it is let in.
  std::optional<std::string> WhyRefused(const net::ServerRequest& request) const;

 private:
  bool IsKnown(std::string_view host) const;

  std::vector<std::string> hosts_;  // In canonical form.
};

// Whether it can be given to a guard.
bool IsHostPattern(std::string_view text);

}  // namespace berth::server
