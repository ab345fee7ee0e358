// SPDX-License-Identifier: Apache-2.0
// HttpFront: lets clients reach an ApiServer over HTTP. Web pages are kept out.
//
// Thread: that of the event loop.

#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "net/http_server.h"
#include "server/browser_guard.h"
#include "server/rest/api_server.h"

namespace berth::server {

class HttpFront : public net::HttpHandler {
 public:
  // Lets in whom the server's access control lets in.
  explicit HttpFront(ApiServer& server) : server_(server) {}

  // The hosts that it is known by besides loopback, see BrowserGuard.
  void SetHosts(const std::vector<std::string>& hosts) { guard_ = BrowserGuard(hosts); }

  // Requests that `takes` is true of go to `handler` instead, once they were let in. `is_public`: everybody is.
  // REQUIRES: the handler outlives this, or nothing is asked after it is gone.
  using Takes = std::function<bool(const net::ServerRequest&)>;
  void Mount(Takes takes, net::HttpHandler& handler, bool is_public = false) {
    mounted_.push_back({std::move(takes), handler, is_public});
  }

  void OnRequest(net::ServerRequest request, net::Responder responder) override;

 private:
  ApiServer& server_;
  BrowserGuard guard_{{}};
  struct Mounted {
    Takes takes;
    net::HttpHandler& handler;
    bool is_public;
  };
  std::vector<Mounted> mounted_;
};

}  // namespace berth::server
