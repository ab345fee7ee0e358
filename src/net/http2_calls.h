// SPDX-License-Identifier: Apache-2.0
// Http2Calls: the calls that share one HTTP/2 connection of a client.
//
// What is started in one turn of the loop leaves together. A server that is silent for half a minute is asked for a
// sign of life, as upstream's client does.
//
// Thread: that of the loop.

#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "net/client_call.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/http2_session.h"
#include "net/socket.h"

namespace berth::net {

class Http2Calls : private Http2Session::Events {
 public:
  using CallPtr = std::shared_ptr<ClientCall>;

  // Hears what becomes of calls; must not destroy them.
  class User {
   public:
    virtual ~User() = default;
    virtual void OnStreamBegun() = 0;
    // An error: Code::kUnavailable if the server has not looked at the call.
    virtual void OnStreamEnded(CallPtr call, Result<void> end) = 0;
    virtual void OnSilence() = 0;  // The server gives no sign of life.
  };

  // All must outlive it.
  Http2Calls(EventLoop& loop, Socket& socket, const Endpoint& endpoint, const ParserLimits& limits, User& user);

  void Carry(CallPtr call);
  void Pause(const ClientCall& call, bool paused);
  // Nothing more is heard of the call.
  void GiveUp(const ClientCall& call);
  // All calls, which are given up.
  std::vector<CallPtr> TakeAll();
  Result<void> Feed(std::string_view bytes);

  size_t room() const { return session_.room(); }  // How many more calls the server takes.
  bool is_empty() const { return calls_.empty(); }

 private:
  CallPtr Find(Http2Session::StreamId stream) const;
  void FlushLater();
  void Flush();
  void ListenFor(Duration time);

  void OnHead(Http2Session::StreamId stream, ResponseHead head) override;
  void OnBody(Http2Session::StreamId stream, std::string_view piece) override;
  void OnStreamEnd(Http2Session::StreamId stream, Result<void> end) override;

  EventLoop& loop_;
  Socket& socket_;
  const Endpoint& endpoint_;
  User& user_;
  Http2Session session_;
  std::map<Http2Session::StreamId, CallPtr> calls_;
  std::vector<CallPtr> unsent_;  // Started in this turn.
  bool has_heard_ = false;       // Since the timer was started.
  bool has_asked_ = false;
  runtime::Timer silence_;
  bool flush_posted_ = false;
  // Work that is still posted finds out here whether this is there.
  std::shared_ptr<Http2Calls*> alive_ = std::make_shared<Http2Calls*>(this);
};

}  // namespace berth::net
