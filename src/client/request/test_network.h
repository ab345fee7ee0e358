// SPDX-License-Identifier: Apache-2.0
// A scripted network, for tests of protocol logic.
//
// TestTransport keeps every request that was started until the test answers, streams to or fails it; nothing happens by
// itself.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "net/transport.h"
#include "runtime/test_timers.h"

namespace berth::client {

using runtime::TestTimers;

class TestTransport final : public net::Transport {
 public:
  struct Call {
    CallId id = 0;
    net::Request request;
    bool paused = false;

    std::string_view Header(std::string_view name) const {
      for (const net::Header& header : request.headers) {
        if (header.name == name) return header.value;
      }
      return {};
    }
  };

  CallId Start(net::Request request, net::Receiver receiver) override {
    CallId id = ++last_id_;
    started_.push_back(Call{id, std::move(request), false});
    open_.emplace(id, std::move(receiver));
    return id;
  }
  void Cancel(CallId call) override {
    open_.erase(call);
    cancelled_.push_back(call);
  }
  void Pause(CallId call, bool paused) override { Get(call).paused = paused; }

  // Every request ever started, in order; `call(n)` is the n-th, from 0.
  size_t started() const { return started_.size(); }
  const Call& call(size_t index) const { return started_.at(index); }
  const Call& last() const { return started_.at(started_.size() - 1); }
  bool is_open(CallId call) const { return open_.contains(call); }
  size_t open() const { return open_.size(); }
  const std::vector<CallId>& cancelled() const { return cancelled_; }

  // The pieces of an answer. Each does nothing if the call has ended or was cancelled.
  void Head(CallId call, int status, std::vector<net::Header> headers = {}) {
    Deliver(call, [&](net::Receiver& receiver) {
      if (receiver.on_head) receiver.on_head(net::ResponseHead{status, std::move(headers)});
    });
  }
  void Body(CallId call, std::string_view piece) {
    Deliver(call, [&](net::Receiver& receiver) {
      if (receiver.on_body) receiver.on_body(piece);
    });
  }
  void End(CallId call, Result<void> result = {}) {
    auto receiver = open_.extract(call);
    if (!receiver.empty() && receiver.mapped().on_end) receiver.mapped().on_end(std::move(result));
  }
  // A whole answer.
  void Answer(CallId call, int status, std::string_view body = {}, std::vector<net::Header> headers = {}) {
    Head(call, status, std::move(headers));
    if (!body.empty()) Body(call, body);
    End(call);
  }
  void Fail(CallId call, Code code, std::string message) { End(call, berth::Fail(code, std::move(message))); }

 private:
  Call& Get(CallId call) {
    BERTH_ASSERT(call >= 1 && call <= started_.size());
    return started_[call - 1];
  }
  // The receiver is out of the table while it runs, since it may cancel its own call.
  template <class Piece>
  void Deliver(CallId call, Piece piece) {
    auto found = open_.find(call);
    if (found == open_.end()) return;
    net::Receiver receiver = std::move(found->second);
    piece(receiver);
    found = open_.find(call);
    if (found != open_.end()) found->second = std::move(receiver);
  }

  CallId last_id_ = 0;
  std::vector<Call> started_;
  std::map<CallId, net::Receiver> open_;
  std::vector<CallId> cancelled_;
};

}  // namespace berth::client
