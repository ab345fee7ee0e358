// SPDX-License-Identifier: Apache-2.0
// HttpServer: serves HTTP/1.1 on one port, plain or with TLS.
//
// A handler gets requests and answers each when it likes, in one piece or as a stream; the pieces of a stream may be
// shared between many of them. Requests of one connection are handled one after another, in their order, and not while
// the peer leaves answers unread. Slow and idle peers are cut off.
//
// What peers can make the server keep is bounded by the options. Where as many are connected as may be, a new one takes
// the place of one that is not being answered: the peer address with most connections loses the one that has waited
// longest, so whoever opens many cannot keep others out. If all are being answered, new ones wait.
//
// Thread: that of the loop.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/event_loop.h"
#include "net/responder.h"
#include "net/tls.h"
#include "net/transport.h"

namespace berth::net {

struct ServerRequest {
  std::string method;
  std::string target;  // Path and query, encoded.
  std::vector<Header> headers;
  std::string body;  // Without any encoding. Empty if its head is answered.
  std::string peer_address;
  std::shared_ptr<const PeerCertificate> peer_certificate;  // Null: the peer showed none.

  std::string_view Find(std::string_view header) const;  // "" if there is none.
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual void OnRequest(ServerRequest request, Responder responder) = 0;
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";    // An IP address.
  uint16_t port = 0;                    // 0: any free one.
  bool reuse_port = false;              // Others may listen on it too.
  std::optional<TlsServerOptions> tls;  // None: plain.
  // Whether the handler gets this request as soon as its head is read. Responder::ReadBody brings the body then;
  // without it, the connection ends with the answer. Null: it gets none so early.
  std::function<bool(const ServerRequest& head)> answers_head;
  uint32_t header_bytes_max = 1 << 20;
  uint64_t body_bytes_max = 3 << 20;
  // What is said of a body that is larger than so many bytes; null: a line of text.
  std::function<std::string(uint64_t bytes_max)> too_large_json;
  size_t connections_max = 20'000;
  int receive_buffer_bytes = 0;           // What the system keeps for a connection; 0: as it likes.
  Duration header_timeout = Seconds(32);  // For a handshake as well.
  Duration body_timeout = Seconds(60);
  Duration idle_timeout = Seconds(90);
  Duration stall_timeout = Seconds(60);  // For a peer that reads nothing of its answer.
};

class HttpServer {
 public:
  // Listens at once. Errors read as Go's: "listen tcp 127.0.0.1:80: bind: address already in use".
  static Result<std::unique_ptr<HttpServer>> Listen(EventLoop& loop, HttpServerOptions options, HttpHandler& handler);
  // Closes all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const;
  size_t connection_count() const;

  // For connections from now on. REQUIRES: the server speaks TLS.
  Result<void> SetTls(const TlsServerOptions& tls);

  // Accepts no more and lets running requests end, for at most `grace`. `done` is called once, when all are gone, and
  // never inside this call.
  void Shutdown(Duration grace, std::move_only_function<void()> done);

 private:
  struct Impl;
  explicit HttpServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace berth::net
