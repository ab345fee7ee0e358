// SPDX-License-Identifier: Apache-2.0
// Responder: the right to answer one request of an HttpServer.
//
// Either Send once, or Begin, any number of Writes, and End. A responder that goes without an answer answers with
// status 500; one that goes in the middle of a stream closes the connection, so that the peer does not take it for
// complete. When the peer is gone, all of it does nothing.
//
// Thread: that of the server's loop.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "net/transport.h"

namespace berth::net {

class ServerConnection;

class Responder {
 public:
  Responder(std::shared_ptr<ServerConnection> connection, uint64_t exchange);
  ~Responder();
  Responder(Responder&& other) noexcept = default;
  Responder& operator=(Responder&& other) noexcept;

  // Brings the body of a request that came without it, of at most so many bytes; once, before the answer. If the peer
  // sends none, or more, it is cut off without a word to `done`.
  void ReadBody(uint64_t bytes_max, std::move_only_function<void(std::string body)> done);

  // Length, date and connection headers are added.
  void Send(int status, std::vector<Header> headers, std::string body);
  void Send(int status, std::vector<Header> headers, std::shared_ptr<const std::string> body);

  void Begin(int status, std::vector<Header> headers);
  void Write(std::string piece);
  void Write(std::shared_ptr<const std::string> piece);
  void End();

  bool is_open() const;          // Whether an answer still reaches somebody.
  size_t pending_bytes() const;  // Written but not yet with the system: a slow peer has many.
  // The peer went before the answer was complete.
  void OnGone(std::move_only_function<void()> callback);
  // All that was written is with the system; called each time.
  void OnDrained(std::move_only_function<void()> callback);

 private:
  void Release();

  std::shared_ptr<ServerConnection> connection_;  // Null: moved from, or answered.
  uint64_t exchange_ = 0;
};

}  // namespace berth::net
