// SPDX-License-Identifier: Apache-2.0
// Transport: sends HTTP requests to one server and brings back what it answers.
//
// Everything that speaks a protocol over HTTP is written against this interface: HttpClient is the one with sockets,
// the simulator has one with a lossy network.
//
// Thread: one. Receivers are called on it, never inside Start, Cancel or Pause.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace berth::net {

struct Header {
  std::string name;
  std::string value;
};

struct Request {
  std::string method = "GET";
  std::string target;  // Path and query, encoded.
  std::vector<Header> headers;
  std::string body;
  Duration timeout{};   // From when it has a connection to the last byte of the answer; zero: none.
  bool urgent = false;  // Waits for no other request. For the few that must not be late.
};

struct ResponseHead {
  int status = 0;
  std::vector<Header> headers;

  // The value of the first header called `name` in any case, or "".
  std::string_view Find(std::string_view name) const;
};

// Hears of one answer: at most one head, then any number of pieces of the body (without transfer or content
// encoding), then exactly one end. Nothing once the call is cancelled.
struct Receiver {
  std::move_only_function<void(const ResponseHead&)> on_head;
  std::move_only_function<void(std::string_view)> on_body;
  // Code::kUnavailable: the server certainly did not act on the request. Any other error: it may have.
  std::move_only_function<void(Result<void>)> on_end;
};

class Transport {
 public:
  using CallId = uint64_t;  // From 1.

  virtual ~Transport() = default;

  virtual CallId Start(Request request, Receiver receiver) = 0;
  // Harmless when the call has ended.
  virtual void Cancel(CallId call) = 0;
  // While paused, no more of the answer is read.
  virtual void Pause(CallId call, bool paused) = 0;
};

struct Response {
  ResponseHead head;
  std::string body;
};

// Collects a whole answer. An answer of more than `limit` bytes is an error.
Transport::CallId Send(Transport& transport, Request request, std::move_only_function<void(Result<Response>)> done,
                       size_t limit = size_t{1} << 30);

}  // namespace berth::net
