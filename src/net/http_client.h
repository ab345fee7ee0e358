// SPDX-License-Identifier: Apache-2.0
// HttpClient: the transport with sockets, to one server over HTTP/2, if it speaks that over TLS, or HTTP/1.1.
//
// Over HTTP/2 calls share a connection, and another is opened when it is full. Over HTTP/1.1 connections are kept and
// reused, the most recently used first, and each running call has one to itself. Calls beyond the limit of those that
// await an answer wait in line, except urgent ones. An answer that has begun (a watch, say) no longer counts, so long
// answers never hold up others.
//
// A call on a reused connection that the server had closed is sent again on a new one, if nothing of it was written or
// its method is GET or HEAD; so is one that the server says it has not looked at.
//
// Thread: that of the loop. Not to be destroyed inside a receiver; calls that still run then end without a word.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/http_parser.h"
#include "net/tls.h"
#include "net/transport.h"

namespace berth::net {

struct HttpClientOptions {
  Endpoint endpoint;
  TlsClientOptions tls;
  std::optional<Endpoint> proxy;  // http only.
  // Calls that await an answer, each on a connection of its own over HTTP/1.1. More than the first ones are sent only
  // to a server that takes its time.
  size_t connections_max = 128;
  Duration connect_timeout = Seconds(30);
  Duration handshake_timeout = Seconds(10);
  Duration idle_timeout = Seconds(90);
  ParserLimits limits;
};

class HttpClient : public Transport {
 public:
  // Fails if the certificates or the proxy are of no use.
  static Result<std::unique_ptr<HttpClient>> Create(EventLoop& loop, HttpClientOptions options);
  ~HttpClient() override;

  CallId Start(Request request, Receiver receiver) override;
  void Cancel(CallId call) override;
  void Pause(CallId call, bool paused) override;

  // For connections from now on; those in use are not reused.
  Result<void> SetTls(const TlsClientOptions& tls);

  size_t connection_count() const;  // All, idle ones too.

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::net
