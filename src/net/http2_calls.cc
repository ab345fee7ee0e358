// SPDX-License-Identifier: Apache-2.0
#include "net/http2_calls.h"

#include <utility>

namespace berth::net {
namespace {

// Those of upstream's client.
constexpr Duration kSilenceMax = Seconds(30);
constexpr Duration kPingTimeout = Seconds(15);

}  // namespace

Http2Calls::Http2Calls(EventLoop& loop, Socket& socket, const Endpoint& endpoint, const ParserLimits& limits,
                       User& user)
    : loop_(loop), socket_(socket), endpoint_(endpoint), user_(user), session_(limits, *this), silence_(loop) {
  FlushLater();
  ListenFor(kSilenceMax);
}

void Http2Calls::ListenFor(Duration time) {
  has_heard_ = false;
  silence_.Start(time, [this] {
    if (has_heard_) {
      has_asked_ = false;
      return ListenFor(kSilenceMax);
    }
    if (std::exchange(has_asked_, true)) return user_.OnSilence();
    session_.Ping();
    FlushLater();
    ListenFor(kPingTimeout);
  });
}

void Http2Calls::Carry(CallPtr call) {
  Result<Http2Session::StreamId> stream = session_.Start(call->request, endpoint_.Authority(), endpoint_.base_path);
  if (!stream) {
    // Later, since this may run inside Start.
    return loop_.Post([weak = std::weak_ptr(alive_), call = std::move(call), error = std::move(stream).error()] {
      const auto self = weak.lock();
      if (self && call->connection != nullptr) (*self)->user_.OnStreamEnded(call, std::unexpected(error));
    });
  }
  call->stream = *stream;
  call->written_before = UINT64_MAX;
  if (call->paused) session_.Pause(*stream, true);
  unsent_.push_back(call);
  calls_.emplace(*stream, std::move(call));
  FlushLater();
}

void Http2Calls::Pause(const ClientCall& call, bool paused) {
  session_.Pause(call.stream, paused);
  FlushLater();
}

void Http2Calls::GiveUp(const ClientCall& call) {
  session_.Reset(call.stream);
  calls_.erase(call.stream);
  FlushLater();
}

std::vector<Http2Calls::CallPtr> Http2Calls::TakeAll() {
  std::vector<CallPtr> taken;
  for (auto& [stream, call] : std::exchange(calls_, {})) {
    session_.Reset(stream);
    taken.push_back(std::move(call));
  }
  return taken;
}

Result<void> Http2Calls::Feed(std::string_view bytes) {
  has_heard_ = true;
  Result<void> fed = session_.Feed(bytes);
  FlushLater();
  return fed;
}

void Http2Calls::FlushLater() {
  if (std::exchange(flush_posted_, true)) return;
  loop_.Post([weak = std::weak_ptr(alive_)] {
    if (const auto self = weak.lock()) (*self)->Flush();
  });
}

void Http2Calls::Flush() {
  flush_posted_ = false;
  const uint64_t before = socket_.written_bytes() + socket_.pending_bytes();
  for (const CallPtr& call : std::exchange(unsent_, {})) call->written_before = before;
  std::string output = session_.TakeOutput();
  if (!output.empty()) socket_.Write(std::move(output));
}

Http2Calls::CallPtr Http2Calls::Find(Http2Session::StreamId stream) const {
  const auto found = calls_.find(stream);
  return found == calls_.end() ? nullptr : found->second;
}

void Http2Calls::OnHead(Http2Session::StreamId stream, ResponseHead head) {
  const CallPtr call = Find(stream);
  if (call == nullptr) return;
  call->has_head = true;
  user_.OnStreamBegun();
  if (call->receiver.on_head) call->receiver.on_head(head);
}

void Http2Calls::OnBody(Http2Session::StreamId stream, std::string_view piece) {
  const CallPtr call = Find(stream);
  if (call != nullptr && call->receiver.on_body) call->receiver.on_body(piece);
}

void Http2Calls::OnStreamEnd(Http2Session::StreamId stream, Result<void> end) {
  auto node = calls_.extract(stream);
  if (!node.empty()) user_.OnStreamEnded(std::move(node.mapped()), std::move(end));
}

}  // namespace berth::net
