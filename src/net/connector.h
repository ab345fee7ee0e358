// SPDX-License-Identifier: Apache-2.0
// Connector: one attempt to open a TCP connection to a host, trying its addresses in turn.
//
// Thread: that of the loop. Destroying it gives the attempt up.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/event_loop.h"
#include "net/socket.h"

namespace berth::net {

class Connector {
 public:
  using Done = std::move_only_function<void(Result<Socket>)>;

  // `done` is called once, never inside the constructor, and may destroy the connector. Errors read as Go's: "dial tcp
  // 127.0.0.1:1: connect: connection refused".
  Connector(EventLoop& loop, std::string host, uint16_t port, Duration timeout, Done done);
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace berth::net
