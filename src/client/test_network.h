// SPDX-License-Identifier: Apache-2.0
// A virtual clock and a scripted network, for tests of protocol logic.
//
// TestTimers stands still until the test advances it. TestTransport keeps every request that was started until the test
// answers, streams to or fails it; nothing happens by itself.

#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/time.h"
#include "net/transport.h"
#include "runtime/timers.h"

namespace berth::client {

class TestTimers final : public runtime::Timers {
 public:
  explicit TestTimers(Time start = {1'767'225'600'000'000'000}) : now_(start) {}  // 2026-01-01T00:00:00Z

  Time Now() const override { return now_; }
  Id After(Duration delay, Work work) override {
    Id id = ++last_id_;
    pending_.emplace(std::pair(now_ + std::max(delay, Duration{}), id), std::move(work));
    return id;
  }
  void Cancel(Id id) override {
    std::erase_if(pending_, [id](const auto& entry) { return entry.first.second == id; });
  }

  // Runs all work that is due until then, in the order of its time, also that which such work asks for.
  void Advance(Duration duration) {
    Time end = now_ + duration;
    while (!pending_.empty() && pending_.begin()->first.first <= end) RunFirst();
    now_ = end;
  }
  // Runs what is due now.
  void Run() { Advance({}); }
  // Advances to the next pending work and runs it. False if nothing is pending.
  bool AdvanceToNext() {
    if (pending_.empty()) return false;
    RunFirst();
    return true;
  }
  size_t pending() const { return pending_.size(); }

 private:
  void RunFirst() {
    auto first = pending_.extract(pending_.begin());
    now_ = std::max(now_, first.key().first);
    first.mapped()();
  }

  Time now_;
  Id last_id_ = 0;
  std::map<std::pair<Time, Id>, Work> pending_;
};

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
