// SPDX-License-Identifier: Apache-2.0
// ExtenderCaller: carries out calls of HTTP extenders.
//
// Each call is a POST of JSON and ends within the extender's timeout, connecting and redirects included. Connections
// are kept and reused, with TLS and proxies as upstream has them; how a call failed is told in the words of Go's
// client. What certainly never reached the extender, or was refused by it, has failed; what became of other calls
// without an answer is unknown.
//
// Thread: that of the loop.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/access/proxy_settings.h"
#include "client/request/connection.h"
#include "framework/configuration.h"
#include "net/event_loop.h"
#include "scheduler/input.h"

namespace berth::client {

class ExtenderCaller {
 public:
  // The answer's message is the body of the response, or why there is none.
  using Done = std::move_only_function<void(scheduler::EffectAnswer)>;

  // Fails if certificates are of no use, with upstream's text; connections are made when they are needed. The loop must
  // outlive the caller.
  static Result<std::unique_ptr<ExtenderCaller>> Create(net::EventLoop& loop,
                                                        const std::vector<framework::ExtenderConfiguration>& extenders,
                                                        ProxySettings proxies);
  ExtenderCaller(const ExtenderCaller&) = delete;
  ExtenderCaller& operator=(const ExtenderCaller&) = delete;

  // `extender` is an index in the configuration. `done` is called once, unless the call is cancelled or the caller
  // goes; perhaps inside Call. It must not destroy the caller.
  void Call(uint64_t id, size_t extender, std::string verb, std::string body, Done done);
  // Harmless when the call has ended.
  void Cancel(uint64_t id);

  size_t running() const { return calls_.size(); }

 private:
  struct Extender {
    std::string url;  // Without slashes at the end.
    Duration timeout;
    ServerAccess access;                                             // To any server: how it is to be trusted.
    std::map<std::string, std::unique_ptr<Connection>> connections;  // By origin.
  };
  struct Running;
  using RunningPtr = std::shared_ptr<Running>;

  ExtenderCaller(net::EventLoop& loop, ProxySettings proxies) : loop_(loop), proxies_(std::move(proxies)) {}

  Result<void> Send(const RunningPtr& call);
  Result<net::Transport*> TransportTo(Extender& extender, const net::Endpoint& endpoint);
  void OnHead(const RunningPtr& call, const net::ResponseHead& head);
  void OnEnd(const RunningPtr& call, Result<void> end);
  void Redirect(const RunningPtr& call, int status, std::string_view location);
  void Finish(const RunningPtr& call, scheduler::EffectAnswer::Code code, std::string message);

  net::EventLoop& loop_;
  const ProxySettings proxies_;
  std::vector<Extender> extenders_;
  std::map<uint64_t, RunningPtr> calls_;
};

}  // namespace berth::client
