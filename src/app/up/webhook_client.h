// SPDX-License-Identifier: Apache-2.0
// WebhookClient: calls webhooks over HTTP.
//
// Each place has connections of its own, which are kept for the next call: one that hangs holds up nobody else. What
// waits for a connection is given up when its time is over, like what waits for an answer.
//
// Thread: that of the event loop.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "net/event_loop.h"
#include "net/http_client.h"
#include "server/webhooks/webhook_caller.h"

namespace berth::up {

class WebhookClient : public server::WebhookCaller {
 public:
  // REQUIRES: the loop outlives this.
  explicit WebhookClient(net::EventLoop& loop) : loop_(loop) {}

  void Call(server::WebhookCall call, Done done) override;

 private:
  // Where webhooks listen.
  struct Peer {
    std::unique_ptr<net::HttpClient> http;
    size_t running = 0;
    uint64_t last_used = 0;
  };
  struct Running {
    Peer& peer;
    net::Transport::CallId call;
    runtime::Timers::Id timer;
    Done done;
  };

  Result<Peer*> PeerFor(const server::WebhookCall& call);
  void Finish(uint64_t id, Result<server::WebhookReply> reply);
  void Later(Done done, Result<server::WebhookReply> reply);

  net::EventLoop& loop_;
  uint64_t last_ = 0;  // Counts calls.
  std::map<std::string, Peer> peers_;
  std::unordered_map<uint64_t, Running> running_;
};

}  // namespace berth::up
