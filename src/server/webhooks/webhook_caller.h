// SPDX-License-Identifier: Apache-2.0
// WebhookCaller: brings the requests of webhooks to where they listen. The server itself knows no sockets.
//
// Thread: that of the store.

#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "net/endpoint.h"

namespace berth::server {

struct WebhookCall {
  net::Endpoint endpoint = {};   // Where to connect.
  std::string target = {};       // Path and query.
  std::string host = {};         // Of the request.
  std::string server_name = {};  // Of the certificate; empty: that of the endpoint.
  std::string ca_pem = {};       // Empty: the system's.
  std::string body = {};         // JSON.
  Duration timeout{};
};

struct WebhookReply {
  int status = 0;
  std::string content_type = {};
  std::string body = {};
};

class WebhookCaller {
 public:
  // Code::kInvalid: the certificates are of no use, and nothing was sent.
  using Done = std::move_only_function<void(Result<WebhookReply>)>;

  virtual ~WebhookCaller() = default;

  // `done` is called once, when the answer has come or the time is up, and never inside this call; not at all if the
  // caller goes.
  virtual void Call(WebhookCall call, Done done) = 0;
};

}  // namespace berth::server
