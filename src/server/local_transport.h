// SPDX-License-Identifier: Apache-2.0
// LocalTransport: the way to an ApiServer in the same process, without sockets.
//
// A scheduler that runs beside the server uses it, and so does the simulator. Requests are handled in a turn of their
// own, as if they had travelled.
//
// Thread: that of the server.

#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "net/transport.h"
#include "runtime/timers.h"
#include "server/rest/api_server.h"

namespace berth::server {

class LocalTransport : public net::Transport {
 public:
  // REQUIRES: both outlive this.
  LocalTransport(ApiServer& server, runtime::Timers& timers) : server_(server), timers_(timers) {}
  ~LocalTransport() override;

  CallId Start(net::Request request, net::Receiver receiver) override;
  void Cancel(CallId call) override;
  void Pause(CallId call, bool paused) override;

 private:
  struct Conversation;
  class LocalExchange;

  void Later(std::shared_ptr<Conversation> conversation, void (*work)(Conversation&));

  ApiServer& server_;
  runtime::Timers& timers_;
  CallId last_ = 0;
  std::unordered_map<CallId, std::shared_ptr<Conversation>> conversations_;
};

}  // namespace berth::server
