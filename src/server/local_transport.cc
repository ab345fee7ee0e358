// SPDX-License-Identifier: Apache-2.0
#include "server/local_transport.h"

#include <deque>
#include <utility>

#include "server/rest/exchange.h"

namespace berth::server {

// What both ends know of one call.
struct LocalTransport::Conversation {
  CallId id = 0;
  LocalTransport* owner = nullptr;  // Null: the client is gone.
  net::Receiver receiver;
  bool is_paused = false;
  bool has_ended = false;  // The server has said all.
  bool is_cut = false;     // The server went without an end.
  bool has_exchange = true;
  std::deque<Bytes> held;  // While it is paused.
  size_t held_bytes = 0;
  std::move_only_function<void()> on_gone;
  std::move_only_function<void()> on_drained;

  void Head(int status, std::vector<net::Header> headers) {
    if (owner != nullptr && receiver.on_head) receiver.on_head({.status = status, .headers = std::move(headers)});
  }
  void Piece(Bytes piece) {
    if (owner == nullptr) return;
    if (is_paused || !held.empty()) {
      held_bytes += piece->size();
      held.push_back(std::move(piece));
    } else if (receiver.on_body) {
      receiver.on_body(*piece);
    }
  }
  // Ends the call if nothing is held back.
  void Finish() {
    if (owner == nullptr || !has_ended || !held.empty()) return;
    LocalTransport& transport = *std::exchange(owner, nullptr);
    auto on_end = std::move(receiver.on_end);
    const bool was_cut = is_cut;
    transport.conversations_.erase(id);  // May be the last one to hold this.
    if (on_end) on_end(was_cut ? Result<void>(Fail(Code::kInternal, "the server closed the stream")) : Result<void>());
  }
  // Tells the server, unless it is done.
  void Leave() {
    if (auto told = std::exchange(on_gone, nullptr); told && !has_ended) told();
  }
  void Release() {
    while (!is_paused && !held.empty() && owner != nullptr) {
      const Bytes piece = std::move(held.front());
      held.pop_front();
      held_bytes -= piece->size();
      if (receiver.on_body) receiver.on_body(*piece);
    }
    if (held.empty() && owner != nullptr && on_drained) {
      // The exchange may go while it is told, and must not take the callback away.
      auto told = std::exchange(on_drained, nullptr);
      told();
      if (has_exchange && !on_drained) on_drained = std::move(told);
    }
    Finish();
  }
};

class LocalTransport::LocalExchange : public Exchange {
 public:
  explicit LocalExchange(std::shared_ptr<Conversation> conversation) : conversation_(std::move(conversation)) {}
  ~LocalExchange() override {
    conversation_->has_exchange = false;
    conversation_->on_gone = nullptr;
    conversation_->on_drained = nullptr;
    if (conversation_->has_ended) return;
    conversation_->is_cut = true;
    EndIt();
  }

  void Send(int status, std::vector<net::Header> headers, Bytes body) override {
    Begin(status, std::move(headers));
    if (!body->empty()) Write(std::move(body));
    EndIt();
  }
  void Begin(int status, std::vector<net::Header> headers) override { conversation_->Head(status, std::move(headers)); }
  void Write(Bytes piece) override { conversation_->Piece(std::move(piece)); }
  void End() override { EndIt(); }
  size_t pending_bytes() const override { return conversation_->held_bytes; }
  void OnDrained(std::move_only_function<void()> callback) override { conversation_->on_drained = std::move(callback); }
  void OnGone(std::move_only_function<void()> callback) override { conversation_->on_gone = std::move(callback); }

 private:
  void EndIt() {
    const std::shared_ptr<Conversation> kept = conversation_;
    kept->has_ended = true;
    kept->Finish();
  }

  std::shared_ptr<Conversation> conversation_;
};

LocalTransport::~LocalTransport() {
  for (const auto& [id, conversation] : conversations_) {
    conversation->owner = nullptr;
    Later(conversation, [](Conversation& gone) { gone.Leave(); });
  }
}

void LocalTransport::Later(std::shared_ptr<Conversation> conversation, void (*work)(Conversation&)) {
  timers_.After(Duration{}, [kept = std::move(conversation), work] { work(*kept); });
}

net::Transport::CallId LocalTransport::Start(net::Request request, net::Receiver receiver) {
  auto conversation = std::make_shared<Conversation>();
  conversation->id = ++last_;
  conversation->owner = this;
  conversation->receiver = std::move(receiver);
  conversations_[last_] = conversation;
  net::ServerRequest served;
  served.method = std::move(request.method);
  served.target = std::move(request.target);
  served.headers = std::move(request.headers);
  served.body = std::move(request.body);
  timers_.After(Duration{}, [&server = server_, conversation, served = std::move(served)]() mutable {
    if (conversation->owner == nullptr) return;  // Cancelled before it was heard.
    server.Handle(std::move(served), std::make_unique<LocalExchange>(conversation));
  });
  return last_;
}

void LocalTransport::Cancel(CallId call) {
  const auto found = conversations_.find(call);
  if (found == conversations_.end()) return;
  const std::shared_ptr<Conversation> conversation = found->second;
  conversations_.erase(found);
  conversation->owner = nullptr;
  // The server may be in the middle of telling something.
  Later(conversation, [](Conversation& gone) { gone.Leave(); });
}

void LocalTransport::Pause(CallId call, bool paused) {
  const auto found = conversations_.find(call);
  if (found == conversations_.end()) return;
  found->second->is_paused = paused;
  if (!paused) Later(found->second, [](Conversation& resumed) { resumed.Release(); });
}

}  // namespace berth::server
