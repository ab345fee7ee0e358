// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/client_connection.h"
#include "net/header.h"
#include "runtime/loop.h"

namespace berth::net {
namespace {

constexpr Duration kSweepInterval = Seconds(5);
// A server that answers fast, or is busy with what it has, is not faster over more connections than these, and each
// costs a handshake.
constexpr size_t kFirstConnections = 16;
constexpr Duration kSlowAnswer = Milliseconds(100);
// Over HTTP/2 they cost nothing, and what is sent together is cheaper.
constexpr size_t kFirstStreams = 64;

Result<void> Check(const Request& request) {
  const auto plain = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c != 0x7f; });
  };
  if (!plain(request.method)) return Invalid(fmt::format("net/http: invalid method \"{}\"", request.method));
  if (!plain(request.target) || request.target[0] != '/') return Invalid("net/http: invalid request target");
  for (const Header& header : request.headers) {
    // The value may be a secret.
    if (!IsValid(header)) return Invalid(fmt::format("net/http: invalid header field \"{}\"", header.name));
  }
  return {};
}

}  // namespace

struct HttpClient::Impl : ClientConnection::Owner {
  Impl(EventLoop& event_loop, HttpClientOptions client_options)
      : loop(event_loop),
        options(std::move(client_options)),
        sweep(event_loop, {.delay = runtime::Every(std::min(kSweepInterval, options.idle_timeout))},
              [this] { Sweep(); }),
        widening(event_loop) {}

  using CallPtr = std::shared_ptr<ClientCall>;

  EventLoop& loop;
  const HttpClientOptions options;
  std::shared_ptr<const TlsContext> tls;
  Transport::CallId last_id = 0;
  std::unordered_map<Transport::CallId, CallPtr> calls;
  std::deque<CallPtr> line;  // Calls without a connection; those that were cancelled are skipped.
  std::unordered_map<ClientConnection*, std::unique_ptr<ClientConnection>> connections;
  std::vector<ClientConnection*> idle;                                  // The most recently used last.
  std::vector<ClientConnection*> shared;                                // Those that speak HTTP/2, or may turn out to.
  bool may_share = options.endpoint.uses_tls();                         // As far as is known.
  size_t awaiting = 0;                                                  // Connections whose call has no answer yet.
  size_t width = std::min(kFirstConnections, options.connections_max);  // So many may.
  size_t answers = 0;                                                   // Since `widening` was started.
  runtime::Loop sweep;
  runtime::Timer widening;
  // Work that is still posted finds out here whether the client is there.
  std::shared_ptr<Impl*> alive = std::make_shared<Impl*>(this);

  bool is_current(const CallPtr& call) const { return calls.contains(call->id); }

  // Gives calls in line the connections they may have.
  void Serve() {
    const auto is_due = [this](const ClientCall& call) {
      return awaiting < width || call.request.urgent || !calls.contains(call.id);
    };
    while (!line.empty() && is_due(*line.front())) {
      const CallPtr call = std::move(line.front());
      line.pop_front();
      if (!is_current(call)) continue;
      ++awaiting;
      StartTimeout(call);
      ConnectionFor(*call).Carry(call);
    }
    if (!line.empty() && width < options.connections_max && !widening.is_running()) {
      answers = 0;
      widening.Start(kSlowAnswer, [this] { Widen(); });
    }
  }

  // If not even one answer came per connection, an answer takes longer than that on average.
  void Widen() {
    if (!line.empty() && answers < width) width = std::min(2 * width, options.connections_max);
    Serve();
  }

  // Not while it is in line: a server that is slow would never see the end of the line, only calls that are given up.
  void StartTimeout(const CallPtr& call) {
    if (call->timeout != 0 || call->request.timeout <= Duration{}) return;
    call->timeout = loop.After(call->request.timeout, [this, call] { OnTimeout(call); });
  }

  ClientConnection& ConnectionFor(const ClientCall& call) {
    if (may_share) {
      const auto found = std::ranges::find_if(shared, [](const auto* connection) { return connection->room() > 0; });
      if (found != shared.end()) return **found;
    }
    while (!idle.empty() && !call.wants_new_connection) {
      ClientConnection* connection = idle.back();
      idle.pop_back();
      if (connection->IsUsable()) return *connection;
      Drop(*connection);
    }
    auto made = std::make_unique<ClientConnection>(loop, options, tls, *this);
    ClientConnection& connection = *made;
    connections.emplace(&connection, std::move(made));
    if (may_share) shared.push_back(&connection);
    return connection;
  }

  // It may be in the middle of a call of its own, so it goes later.
  void Drop(ClientConnection& connection) {
    std::erase(idle, &connection);
    std::erase(shared, &connection);
    auto node = connections.extract(&connection);
    if (node.empty()) return;
    std::shared_ptr<ClientConnection> kept = std::move(node.mapped());
    kept->Close();
    loop.Post([kept = std::move(kept)] {});
  }

  void OnOpen(ClientConnection& connection, std::vector<CallPtr> given_back) override {
    may_share = connection.speaks_http2();
    if (may_share) {
      width = std::max(width, std::min(kFirstStreams, options.connections_max));
      if (!sweep.is_running()) sweep.Start();
    } else {
      std::erase(shared, &connection);
    }
    awaiting -= given_back.size();
    line.insert(line.begin(), given_back.begin(), given_back.end());
    ServeLater();
  }

  void OnAnswerBegun(ClientConnection&) override {
    --awaiting;
    ++answers;
    ServeLater();
  }

  void OnAnswered(ClientConnection& connection, CallPtr call, bool reusable) override {
    if (!reusable || !connection.uses(tls)) {
      if (!connection.speaks_http2() || connection.is_empty()) Drop(connection);
    } else if (!connection.speaks_http2()) {
      KeepIdle(connection);
    }
    End(call, {});
  }

  void KeepIdle(ClientConnection& connection) {
    if (idle.size() >= options.connections_max) return Drop(connection);
    idle.push_back(&connection);
    if (!sweep.is_running()) sweep.Start();
  }

  void OnCallLost(CallPtr call, Error error) override {
    if (!call->has_head) --awaiting;
    if (call->wants_new_connection && !call->has_head) {
      line.push_front(std::move(call));
      return ServeLater();
    }
    End(call, std::unexpected(std::move(error)));
  }

  void OnLost(ClientConnection& connection, std::vector<std::pair<CallPtr, Error>> lost) override {
    Drop(connection);
    for (auto& [call, error] : lost) OnCallLost(std::move(call), std::move(error));
  }

  void End(const CallPtr& call, Result<void> result) {
    if (calls.erase(call->id) == 0) return;
    if (call->timeout != 0) loop.Cancel(call->timeout);
    ServeLater();
    if (call->receiver.on_end) call->receiver.on_end(std::move(result));
  }

  void ServeLater() {
    if (line.empty()) return;
    loop.Post([weak = std::weak_ptr(alive)] {
      if (const auto client = weak.lock()) (*client)->Serve();
    });
  }

  void FailLater(const CallPtr& call, Error error) {
    loop.Post([weak = std::weak_ptr(alive), call, error = std::move(error)] {
      if (const auto client = weak.lock()) (*client)->End(call, std::unexpected(error));
    });
  }

  // Takes the call away from its connection, if it has one, and reports whether something of it was written.
  bool Detach(const CallPtr& call) {
    ClientConnection* connection = call->connection;
    if (connection == nullptr) return false;
    const bool written = connection->has_written(*call);
    if (!call->has_head) --awaiting;
    call->connection = nullptr;
    const bool goes_on = connection->GiveUp(*call);
    if (!goes_on || (connection->is_empty() && !connection->uses(tls))) Drop(*connection);
    return written;
  }

  void OnTimeout(const CallPtr& call) {
    call->timeout = 0;
    const bool has_head = call->has_head;
    const bool written = Detach(call);
    End(call,
        Fail(written ? Code::kDeadline : Code::kUnavailable,
             fmt::format("context deadline exceeded (Client.Timeout {})",
                         has_head ? "or context cancellation while reading body" : "exceeded while awaiting headers")));
  }

  void Sweep() {
    const Time limit = loop.Now() - options.idle_timeout;
    while (!idle.empty() && idle.front()->idle_since() <= limit) Drop(*idle.front());
    for (ClientConnection* connection : std::vector(shared)) {
      if (connection->is_empty() && connection->idle_since() <= limit) Drop(*connection);
    }
    if (idle.empty() && shared.empty()) sweep.Stop();
  }
};

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpClient::~HttpClient() {
  for (const auto& [id, call] : impl_->calls) {
    if (call->timeout != 0) impl_->loop.Cancel(call->timeout);
  }
}

Result<std::unique_ptr<HttpClient>> HttpClient::Create(EventLoop& loop, HttpClientOptions options) {
  if (options.endpoint.scheme == "socks5") return Invalid("a server cannot be reached by socks5");
  if (options.proxy && options.proxy->scheme != "http") {
    return Invalid(fmt::format("proxies with the scheme {} are not supported, only http", options.proxy->scheme));
  }
  auto impl = std::make_unique<Impl>(loop, std::move(options));
  if (impl->options.endpoint.uses_tls()) impl->tls = BERTH_TRY(TlsContext::ForClient(impl->options.tls));
  return std::unique_ptr<HttpClient>(new HttpClient(std::move(impl)));
}

HttpClient::CallId HttpClient::Start(Request request, Receiver receiver) {
  auto call = std::make_shared<ClientCall>();
  call->id = ++impl_->last_id;
  call->request = std::move(request);
  call->receiver = std::move(receiver);
  impl_->calls.emplace(call->id, call);
  if (auto checked = Check(call->request); !checked) {
    impl_->FailLater(call, std::move(checked).error());
    return call->id;
  }
  if (call->request.urgent) {
    impl_->line.push_front(call);
  } else {
    impl_->line.push_back(call);
  }
  impl_->Serve();
  return call->id;
}

void HttpClient::Cancel(CallId id) {
  const auto it = impl_->calls.find(id);
  if (it == impl_->calls.end()) return;
  const Impl::CallPtr call = it->second;
  impl_->calls.erase(it);
  if (call->timeout != 0) impl_->loop.Cancel(call->timeout);
  impl_->Detach(call);
  impl_->ServeLater();
}

void HttpClient::Pause(CallId id, bool paused) {
  const auto it = impl_->calls.find(id);
  if (it == impl_->calls.end()) return;
  it->second->paused = paused;
  if (it->second->connection != nullptr) it->second->connection->Pause(*it->second, paused);
}

Result<void> HttpClient::SetTls(const TlsClientOptions& tls) {
  if (!impl_->options.endpoint.uses_tls()) return {};
  impl_->tls = BERTH_TRY(TlsContext::ForClient(tls));
  while (!impl_->idle.empty()) impl_->Drop(*impl_->idle.back());
  // Calls that run on a shared one may end there.
  for (ClientConnection* connection : std::exchange(impl_->shared, {})) {
    if (connection->is_empty()) impl_->Drop(*connection);
  }
  return {};
}

size_t HttpClient::connection_count() const { return impl_->connections.size(); }

}  // namespace berth::net
