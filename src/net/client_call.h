// SPDX-License-Identifier: Apache-2.0
// ClientCall: a request of an HttpClient, and where it is.

#pragma once

#include <cstdint>

#include "net/http2_session.h"
#include "net/transport.h"

namespace berth::net {

// Shared, because a receiver may cancel the call it is told about.
struct ClientCall {
  Transport::CallId id = 0;
  Request request;
  Receiver receiver;
  class ClientConnection* connection = nullptr;  // Null: in line.
  Http2Session::StreamId stream = 0;             // On a connection that speaks HTTP/2.
  uint64_t written_before = UINT64_MAX;          // Bytes that go out on its connection before it.
  bool paused = false;
  bool is_reusing = false;            // The connection was open before.
  bool wants_new_connection = false;  // Its reused one was closed.
  bool has_head = false;
  uint64_t timeout = 0;  // A timer; 0: none.
};

}  // namespace berth::net
