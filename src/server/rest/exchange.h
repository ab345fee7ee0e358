// SPDX-License-Identifier: Apache-2.0
// Exchange: the answer to one request, in one piece or as a stream.
//
// The API server is written against it and knows no sockets. An exchange that goes without an answer is an error of the
// server; one that goes in the middle of a stream cuts it off.
//
// Thread: that of the server. Callbacks are never called inside a call of the exchange.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/transport.h"
#include "server/store/stored_object.h"

namespace berth::server {

class Exchange {
 public:
  virtual ~Exchange() = default;

  // Either this, once, or Begin, any number of Writes, and End.
  virtual void Send(int status, std::vector<net::Header> headers, Bytes body) = 0;
  virtual void Begin(int status, std::vector<net::Header> headers) = 0;
  virtual void Write(Bytes piece) = 0;
  virtual void End() = 0;

  // Written but not yet taken: a slow client has many.
  virtual size_t pending_bytes() const = 0;
  // All that was written has been taken. Called each time.
  virtual void OnDrained(std::move_only_function<void()> callback) = 0;
  // The client went before the answer was complete; nothing more needs to be said.
  virtual void OnGone(std::move_only_function<void()> callback) = 0;
};

}  // namespace berth::server
