// SPDX-License-Identifier: Apache-2.0
#include "app/up/webhook_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "net/tls.h"

namespace berth::up {
namespace {

constexpr size_t kRunningMax = 1000;
constexpr size_t kPeersMax = 100;
constexpr size_t kConnectionsMax = 50;  // To each.
constexpr size_t kAnswerMax = size_t{4} << 20;

std::string KeyOf(const server::WebhookCall& call) {
  return fmt::format("{}://{}\n{}\n{}", call.endpoint.scheme, call.endpoint.Authority(), call.server_name, call.ca_pem);
}

}  // namespace

void WebhookClient::Call(server::WebhookCall call, Done done) {
  if (running_.size() >= kRunningMax) {
    return Later(std::move(done), Fail(Code::kLimit, "too many webhooks are being called"));
  }
  const Result<Peer*> found = PeerFor(call);
  if (!found) return Later(std::move(done), std::unexpected(found.error()));
  Peer& peer = **found;
  const uint64_t id = ++last_;
  peer.last_used = id;
  ++peer.running;
  net::Request request{.method = "POST",
                       .target = std::move(call.target),
                       .headers = {{"Host", std::move(call.host)},
                                   {"User-Agent", "kube-apiserver-admission"},
                                   {"Content-Type", "application/json"},
                                   {"Accept", "application/json, */*"}},
                       .body = std::move(call.body)};
  const auto on_answer = [this, id](Result<net::Response> answer) {
    if (!answer) return Finish(id, std::unexpected(std::move(answer).error()));
    Finish(id, server::WebhookReply{.status = answer->head.status,
                                    .content_type = std::string(answer->head.Find("Content-Type")),
                                    .body = std::move(answer->body)});
  };
  const net::Transport::CallId sent = net::Send(*peer.http, std::move(request), on_answer, kAnswerMax);
  const runtime::Timers::Id timer =
      loop_.After(call.timeout, [this, id] { Finish(id, Fail(Code::kDeadline, "context deadline exceeded")); });
  running_.emplace(id, Running{.peer = peer, .call = sent, .timer = timer, .done = std::move(done)});
}

Result<WebhookClient::Peer*> WebhookClient::PeerFor(const server::WebhookCall& call) {
  std::string key = KeyOf(call);
  if (const auto found = peers_.find(key); found != peers_.end()) return &found->second;
  if (peers_.size() >= kPeersMax) {
    const auto oldest = std::ranges::min_element(
        peers_, {}, [](const auto& entry) { return std::pair(entry.second.running > 0, entry.second.last_used); });
    if (oldest->second.running > 0) return Fail(Code::kLimit, "too many webhooks are being called");
    peers_.erase(oldest);
  }
  if (!call.ca_pem.empty() && !net::CheckCertificates(call.ca_pem)) {
    return Invalid("unable to load root certificates: unable to parse bytes as PEM block");
  }
  net::HttpClientOptions options;
  options.endpoint = call.endpoint;
  options.connections_max = kConnectionsMax;
  options.tls.ca_pem = call.ca_pem;
  options.tls.server_name = call.server_name;
  Peer peer{.http = BERTH_TRY(net::HttpClient::Create(loop_, std::move(options)))};
  return &peers_.emplace(std::move(key), std::move(peer)).first->second;
}

void WebhookClient::Finish(uint64_t id, Result<server::WebhookReply> reply) {
  auto node = running_.extract(id);
  if (node.empty()) return;
  Running& running = node.mapped();
  loop_.Cancel(running.timer);
  running.peer.http->Cancel(running.call);
  --running.peer.running;
  Later(std::move(running.done), std::move(reply));
}

// Whoever hears of it may make calls, for which room may have to be made here.
void WebhookClient::Later(Done done, Result<server::WebhookReply> reply) {
  loop_.After(Duration{}, [done = std::move(done), reply = std::move(reply)]() mutable { done(std::move(reply)); });
}

}  // namespace berth::up
