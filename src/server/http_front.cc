// SPDX-License-Identifier: Apache-2.0
#include "server/http_front.h"

#include <algorithm>
#include <utility>

#include "server/model/status.h"
#include "server/rest/exchange.h"
#include "server/rest/gate.h"

namespace berth::server {
namespace {

class ResponderExchange : public Exchange {
 public:
  explicit ResponderExchange(net::Responder responder) : responder_(std::move(responder)) {}

  void Send(int status, std::vector<net::Header> headers, Bytes body) override {
    responder_.Send(status, std::move(headers), std::move(body));
  }
  void Begin(int status, std::vector<net::Header> headers) override { responder_.Begin(status, std::move(headers)); }
  void Write(Bytes piece) override { responder_.Write(std::move(piece)); }
  void End() override { responder_.End(); }
  size_t pending_bytes() const override { return responder_.pending_bytes(); }
  void OnDrained(std::move_only_function<void()> callback) override { responder_.OnDrained(std::move(callback)); }
  void OnGone(std::move_only_function<void()> callback) override { responder_.OnGone(std::move(callback)); }

 private:
  net::Responder responder_;
};

void Refuse(net::Responder& responder, const StatusError& error) {
  responder.Send(error.code, {{"Content-Type", "application/json"}}, error.ToJson().ToText());
}

}  // namespace

void HttpFront::OnRequest(net::ServerRequest request, net::Responder responder) {
  if (const auto why = guard_.WhyRefused(request)) {
    return Refuse(responder, {.code = 403, .reason = "Forbidden", .message = "forbidden: " + *why});
  }
  const auto mounted = std::ranges::find_if(mounted_, [&](const Mounted& other) { return other.takes(request); });
  const bool is_public = mounted != mounted_.end() && mounted->is_public;
  Outcome<User> user = is_public ? Anonymous() : PassGate(server_.access(), request);
  if (mounted != mounted_.end() && user) return mounted->handler.OnRequest(std::move(request), std::move(responder));
  auto exchange = std::make_unique<ResponderExchange>(std::move(responder));
  if (!user) return ApiServer::Refuse(std::move(request), std::move(exchange), user.error());
  server_.Handle(std::move(request), std::move(exchange), *std::move(user));
}

}  // namespace berth::server
