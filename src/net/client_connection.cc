// SPDX-License-Identifier: Apache-2.0
#include "net/client_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/base64.h"
#include "net/address.h"
#include "net/header.h"

namespace berth::net {
namespace {

constexpr size_t kSmallBody = 16 * 1024;  // Copied behind the head, so that they leave together.
constexpr size_t kUsualHead = 1024;
constexpr size_t kWaitingMax = 100;  // Calls that may wait for one connection to open.

std::string ProxyAuthorization(const Endpoint& proxy) {
  if (proxy.user.empty()) return "";
  return fmt::format("Proxy-Authorization: Basic {}\r\n", EncodeBase64(proxy.user + ":" + proxy.password));
}

std::string HeadOf(const Request& request, const HttpClientOptions& options) {
  const Endpoint& endpoint = options.endpoint;
  const bool absolute = options.proxy && !endpoint.uses_tls();
  std::string head;
  head.reserve(kUsualHead + std::min(request.body.size(), kSmallBody));
  fmt::format_to(std::back_inserter(head), "{} {}{}{} HTTP/1.1\r\n", request.method,
                 absolute ? "http://" + endpoint.Authority() : "", endpoint.base_path, request.target);
  if (FindHeader(request.headers, "host").empty()) head += fmt::format("Host: {}\r\n", endpoint.Authority());
  if (absolute) head += ProxyAuthorization(*options.proxy);
  for (const Header& header : request.headers)
    head.append(header.name).append(": ").append(header.value).append("\r\n");
  if (!request.body.empty() || (request.method != "GET" && request.method != "HEAD")) {
    head += fmt::format("Content-Length: {}\r\n", request.body.size());
  }
  return head + "\r\n";
}

}  // namespace

ClientConnection::ClientConnection(EventLoop& loop, const HttpClientOptions& options,
                                   std::shared_ptr<const TlsContext> tls, Owner& owner)
    : loop_(loop),
      options_(options),
      tls_(std::move(tls)),
      owner_(owner),
      parser_(HttpParser::Kind::kResponse, options.limits, *this),
      handshake_timer_(loop) {
  Open();
}

ClientConnection::~ClientConnection() = default;

void ClientConnection::Open() {
  const Endpoint& next = options_.proxy ? *options_.proxy : options_.endpoint;
  connector_.emplace(loop_, next.host, next.port, options_.connect_timeout,
                     [this](Result<Socket> socket) { OnConnected(std::move(socket)); });
}

void ClientConnection::OnConnected(Result<Socket> socket) {
  connector_.reset();
  if (!socket) return Lose(std::move(socket).error());
  socket_.emplace(*std::move(socket));
  socket_->Start(*this);
  if (!tls_) return Ready();
  handshake_timer_.Start(options_.handshake_timeout, [this] {
    Lose({Code::kUnavailable,
          state_ == State::kSecuring ? "net/http: TLS handshake timeout" : "proxyconnect tcp: i/o timeout"});
  });
  options_.proxy ? AskForTunnel() : Secure();
}

void ClientConnection::AskForTunnel() {
  state_ = State::kTunnelling;
  const std::string target = JoinHostPort(options_.endpoint.host, options_.endpoint.port);
  parser_.ExpectNoBody();
  socket_->Write(
      fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n{1}\r\n", target, ProxyAuthorization(*options_.proxy)));
}

void ClientConnection::OnTunnelAnswer() {
  if (tunnel_status_ == 200) return Secure();
  Lose({Code::kUnavailable, fmt::format("proxyconnect tcp: the proxy answered with status {}", tunnel_status_)});
}

void ClientConnection::Secure() {
  state_ = State::kSecuring;
  socket_->Secure(tls_, options_.endpoint.host);
}

void ClientConnection::OnSecured() { Ready(); }

void ClientConnection::Ready() {
  handshake_timer_.Stop();
  state_ = State::kReady;
  idle_since_ = loop_.Now();
  Http2Calls::User& user = *this;
  if (socket_->Protocol() == "h2") http2_.emplace(loop_, *socket_, options_.endpoint, options_.limits, user);
  std::vector<CallPtr> calls = std::exchange(waiting_, {});
  const size_t carried = std::min(calls.size(), room());
  for (size_t i = 0; i < carried; ++i) Start(std::move(calls[i]));
  calls.erase(calls.begin(), calls.begin() + static_cast<ptrdiff_t>(carried));
  for (const CallPtr& call : calls) call->connection = nullptr;
  owner_.OnOpen(*this, std::move(calls));
}

void ClientConnection::Carry(CallPtr call) {
  call->connection = this;
  call->is_reusing = state_ == State::kReady;
  if (state_ != State::kReady) return waiting_.push_back(std::move(call));
  Start(std::move(call));
}

void ClientConnection::Start(CallPtr call) {
  if (http2_) return http2_->Carry(std::move(call));
  call_ = std::move(call);
  Send();
}

void ClientConnection::Send() {
  call_->written_before = socket_->written_bytes();
  has_answer_ = false;
  const Request& request = call_->request;
  if (request.method == "HEAD") parser_.ExpectNoBody();
  std::string head = HeadOf(request, options_);
  if (request.body.size() <= kSmallBody) {
    socket_->Write(std::move(head) + request.body);
  } else {
    socket_->Write(std::move(head));
    // The body stays with the call, which may be sent again.
    socket_->Write(std::shared_ptr<const std::string>(call_, &request.body));
  }
  socket_->PauseReading(call_->paused);
}

bool ClientConnection::has_written(const ClientCall& call) const {
  return state_ == State::kReady && socket_->written_bytes() > call.written_before;
}

size_t ClientConnection::room() const {
  if (state_ == State::kClosed) return 0;
  if (state_ != State::kReady) return kWaitingMax - std::min(kWaitingMax, waiting_.size());
  if (http2_) return http2_->room();
  return call_ == nullptr ? 1 : 0;
}

bool ClientConnection::is_empty() const {
  return call_ == nullptr && waiting_.empty() && (!http2_ || http2_->is_empty());
}

void ClientConnection::Pause(const ClientCall& call, bool paused) {
  if (state_ != State::kReady) return;
  http2_ ? http2_->Pause(call, paused) : socket_->PauseReading(paused);
}

bool ClientConnection::GiveUp(const ClientCall& call) {
  if (http2_) {
    http2_->GiveUp(call);
    if (http2_->is_empty()) idle_since_ = loop_.Now();
    return true;
  }
  std::erase_if(waiting_, [&](const CallPtr& waiting) { return waiting.get() == &call; });
  return !waiting_.empty();
}

void ClientConnection::Close() {
  for (const CallPtr& call : TakeCalls()) call->connection = nullptr;
  state_ = State::kClosed;
  handshake_timer_.Stop();
  connector_.reset();
  if (socket_) socket_->Close();
}

std::vector<ClientConnection::CallPtr> ClientConnection::TakeCalls() {
  std::vector<CallPtr> calls = std::exchange(waiting_, {});
  if (http2_) calls = http2_->TakeAll();
  if (call_ != nullptr) calls.push_back(std::exchange(call_, nullptr));
  return calls;
}

void ClientConnection::Lose(Error error) {
  if (state_ == State::kClosed) return;
  std::vector<std::pair<CallPtr, Error>> lost;
  for (CallPtr& call : TakeCalls()) {
    call->connection = nullptr;
    Error explained = Explain(*call, error);
    lost.emplace_back(std::move(call), std::move(explained));
  }
  Close();
  owner_.OnLost(*this, std::move(lost));
}

Error ClientConnection::Explain(ClientCall& call, Error error) const {
  const bool is_written = has_written(call);
  const bool harmless = !is_written || call.request.method == "GET" || call.request.method == "HEAD";
  const bool has_answer = http2_ ? call.has_head : has_answer_;
  call.wants_new_connection = call.is_reusing && !has_answer && harmless && !call.wants_new_connection;
  if (!is_written) {
    error.code = Code::kUnavailable;
  } else if (error.code == Code::kUnavailable) {
    error.code = Code::kInternal;
  }
  return error;
}

void ClientConnection::OnStreamEnded(CallPtr call, Result<void> end) {
  call->connection = nullptr;
  if (http2_->is_empty()) idle_since_ = loop_.Now();
  if (end) return owner_.OnAnswered(*this, std::move(call), true);
  // What the server has not looked at, another try may get through.
  const bool is_untouched = end.error().code == Code::kUnavailable && !call->has_head;
  call->wants_new_connection = is_untouched && !call->wants_new_connection;
  owner_.OnCallLost(std::move(call), std::move(end).error());
}

void ClientConnection::OnSilence() { Lose({Code::kInternal, "http2: client connection lost"}); }

void ClientConnection::OnData(std::string_view bytes) {
  if (http2_) {
    Result<void> fed = http2_->Feed(bytes);
    if (!fed) Lose(std::move(fed).error());
    return;
  }
  if (state_ == State::kReady && call_ == nullptr) {
    return Lose({Code::kInternal, "the server sent bytes that nobody asked for"});
  }
  if (state_ == State::kReady) has_answer_ = true;
  message_ended_ = false;
  const auto used = parser_.Feed(bytes);
  if (state_ == State::kClosed) return;  // By a receiver.
  if (!used) return Lose(used.error());
  if (!message_ended_) return;
  if (state_ == State::kTunnelling) return OnTunnelAnswer();
  FinishAnswer(*used == bytes.size());
}

void ClientConnection::OnClosed(Result<void> reason) {
  if (!reason) return Lose(std::move(reason).error());
  if (http2_) return Lose({Code::kInternal, "unexpected EOF"});
  message_ended_ = false;
  const auto fed = parser_.FeedEnd();
  if (state_ == State::kClosed) return;
  if (fed && message_ended_ && state_ == State::kReady) return FinishAnswer(false);
  Lose({Code::kInternal, fed && !has_answer_ ? "EOF" : "unexpected EOF"});
}

void ClientConnection::FinishAnswer(bool reusable) {
  reusable = reusable && parser_.keep_alive() && socket_->pending_bytes() == 0;
  CallPtr call = std::exchange(call_, nullptr);
  call->connection = nullptr;
  idle_since_ = loop_.Now();
  reusable ? socket_->PauseReading(false) : Close();
  owner_.OnAnswered(*this, std::move(call), reusable);
}

void ClientConnection::OnHead(MessageHead head) {
  if (state_ == State::kTunnelling) {
    tunnel_status_ = head.status;
    return;
  }
  const CallPtr call = call_;
  if (call == nullptr) return;
  call->has_head = true;
  owner_.OnAnswerBegun(*this);
  if (call->receiver.on_head) call->receiver.on_head(ResponseHead{head.status, std::move(head.headers)});
}

void ClientConnection::OnBody(std::string_view piece) {
  const CallPtr call = call_;
  if (call != nullptr && call->receiver.on_body) call->receiver.on_body(piece);
}

void ClientConnection::OnEnd() { message_ended_ = true; }

}  // namespace berth::net
