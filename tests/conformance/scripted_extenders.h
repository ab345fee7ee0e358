// SPDX-License-Identifier: Apache-2.0
// ScriptedExtenders: a server on loopback that gives the recorded answers and keeps what it was asked.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "net/event_loop.h"
#include "net/http_server.h"

namespace berth::conformance {

class ScriptedExtenders final : public net::HttpHandler {
 public:
  // `script`: path -> answers. It must outlive the server.
  ScriptedExtenders(net::EventLoop& loop, api::Value script);

  const std::string& url() const { return url_; }
  // All requests in their order, as a member.
  void WriteRequests(api::JsonWriter& json) const;

 private:
  void OnRequest(net::ServerRequest request, net::Responder responder) override;
  void Listen();

  net::EventLoop& loop_;
  api::Value script_;
  net::HttpServerOptions options_;
  std::unique_ptr<net::HttpServer> server_;
  std::string url_;
  std::map<std::string, size_t> asked_;  // How often, by path.
  std::vector<net::ServerRequest> requests_;
  std::vector<net::Responder> hanging_;
};

}  // namespace berth::conformance
