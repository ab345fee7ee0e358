// SPDX-License-Identifier: Apache-2.0
#include "net/server_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "net/header.h"
#include "net/status_text.h"

namespace berth::net {
namespace {

constexpr size_t kHeldMax = 64 * 1024;
constexpr size_t kUnreadMax = 64 * 1024;  // Of its answers, by a peer that asks more.
constexpr Time kNever{INT64_MAX};

std::string_view ViewOf(const std::string& piece) { return piece; }
std::string_view ViewOf(const std::shared_ptr<const std::string>& piece) { return *piece; }

bool StatusHasBody(int status) { return status >= 200 && status != 204 && status != 304; }

bool IsHost(const Header& header) { return EqualsIgnoringCase(header.name, "host"); }

// A target in absolute form says itself whom it is for; what the Host header says does not count then.
void SettleTarget(ServerRequest& request) {
  const std::string& target = request.target;
  const size_t scheme = std::min(target.find("://"), target.size());
  const std::string_view name = std::string_view(target).substr(0, scheme);
  if (!EqualsIgnoringCase(name, "http") && !EqualsIgnoringCase(name, "https")) return;
  const size_t begin = scheme + 3;
  const size_t end = std::min(target.find_first_of("/?#", begin), target.size());
  std::erase_if(request.headers, IsHost);
  request.headers.emplace_back("Host", target.substr(begin, end - begin));
  std::string path = target.substr(end);
  if (!path.starts_with('/')) path.insert(0, "/");
  request.target = std::move(path);
}

// How much of a body is wanted is known when its head has been read.
ParserLimits LimitsOf(const HttpServerOptions& options) { return {.header_bytes = options.header_bytes_max}; }

}  // namespace

std::string_view ServerRequest::Find(std::string_view header) const { return FindHeader(headers, header); }

ServerConnection::ServerConnection(EventLoop& loop, Socket socket, std::string peer_address,
                                   const HttpServerOptions& options, Owner& owner)
    : loop_(loop),
      socket_(std::move(socket)),
      options_(options),
      owner_(owner),
      parser_(HttpParser::Kind::kRequest, LimitsOf(options), *this),
      peer_address_(std::move(peer_address)),
      progress_at_(loop.Now()) {}

ServerConnection::~ServerConnection() = default;

void ServerConnection::Start(std::shared_ptr<const TlsContext> tls) {
  socket_.Start(*this);
  if (tls == nullptr) return Enter(Phase::kIdle);
  Enter(Phase::kSecuring);
  socket_.Secure(std::move(tls));
}

Duration ServerConnection::TimeoutOf(Phase phase) const {
  switch (phase) {
    case Phase::kSecuring:
    case Phase::kReadingHead: return options_.header_timeout;
    case Phase::kReadingBody: return options_.body_timeout;
    case Phase::kIdle: return options_.idle_timeout;
    case Phase::kClosing: return Seconds(2);  // For the peer to read the last answer.
    case Phase::kAnswering:
    case Phase::kStreaming: break;
  }
  return {};
}

void ServerConnection::Enter(Phase phase) {
  phase_ = phase;
  phase_since_ = loop_.Now();
  const Duration timeout = TimeoutOf(phase);
  deadline_ = timeout > Duration{} ? phase_since_ + timeout : kNever;
}

void ServerConnection::Check(Time now) {
  const bool moves = socket_.pending_bytes() == 0 || socket_.written_bytes() != written_then_;
  if (moves) {
    written_then_ = socket_.written_bytes();
    progress_at_ = now;
  }
  if (now >= deadline_ || now - progress_at_ > options_.stall_timeout) Lose();
}

void ServerConnection::Retire() {
  keeps_alive_ = false;
  if (phase_ == Phase::kIdle || phase_ == Phase::kSecuring) Lose();
}

void ServerConnection::Close() {
  is_open_ = false;
  socket_.Close();
  on_gone_ = nullptr;
  on_drained_ = nullptr;
  on_body_read_ = nullptr;
}

std::string_view ServerConnection::peer_host() const {
  return std::string_view(peer_address_).substr(0, peer_address_.rfind(':'));
}

void ServerConnection::Lose() {
  if (!is_open_) return;
  const auto self = shared_from_this();
  auto gone = std::exchange(on_gone_, nullptr);
  Close();
  owner_.OnGone(*this);
  if (gone) gone();
}

void ServerConnection::OnSecured() {
  peer_ = socket_.TakePeerCertificate();
  Enter(Phase::kIdle);
}

void ServerConnection::OnClosed(Result<void>) { Lose(); }

void ServerConnection::OnDrained() {
  if (phase_ < Phase::kAnswering) return Process();
  if (!on_drained_) return;
  // The callback may set another one.
  auto callback = std::move(on_drained_);
  const uint64_t exchange = exchange_;
  const auto self = shared_from_this();
  callback();
  if (is_open(exchange) && !on_drained_) on_drained_ = std::move(callback);
}

void ServerConnection::OnData(std::string_view bytes) {
  if (phase_ == Phase::kClosing) return;
  held_.append(bytes);
  Process();
}

size_t ServerConnection::held_max() const { return std::min<size_t>(kHeldMax, options_.header_bytes_max); }

// Otherwise the peer could have any number of answers kept for it.
bool ServerConnection::MayProcess() const {
  return is_open_ && phase_ < Phase::kClosing && socket_.pending_bytes() <= kUnreadMax;
}

// Requests are handled until one is not answered at once, or the bytes run out.
void ServerConnection::Process() {
  if (is_processing_) return;
  const auto self = shared_from_this();
  is_processing_ = true;
  size_t used = 0;
  while (MayProcess()) {
    if (on_body_read_ && message_ended_) {
      FinishBody();
      continue;
    }
    if (used == held_.size()) break;
    if (phase_ == Phase::kIdle) Enter(Phase::kReadingHead);
    const auto fed = parser_.Feed(std::string_view(held_).substr(used));
    if (!fed) {
      Refuse(fed.error());
      break;
    }
    used += *fed;
    TakeMessagePart();
  }
  is_processing_ = false;
  if (!is_open_) return;
  held_.erase(0, used);
  if (held_.empty() && held_.capacity() > held_max()) held_.shrink_to_fit();
  socket_.PauseReading(held_.size() > held_max());
}

void ServerConnection::ProcessLater() {
  loop_.Post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->is_open_) self->Process();
  });
}

void ServerConnection::TakeMessagePart() {
  const bool is_head = std::exchange(head_came_, false);
  if (phase_ == Phase::kReadingHead) return;
  if (is_head) {
    if (!CheckHead()) return;
    answers_head_ = options_.answers_head && options_.answers_head(request_);
    if (!answers_head_ && !message_ended_) return AllowBody(options_.body_bytes_max);
  }
  if (is_head || (message_ended_ && !answers_head_)) Dispatch();
}

bool ServerConnection::CheckHead() {
  const auto hosts = std::ranges::count_if(request_.headers, IsHost);
  if (hosts > 1) {
    Refuse(400, "400 Bad Request: too many Host headers");
    return false;
  }
  if (!is_http_1_0_ && request_.Find("host").empty()) {
    Refuse(400, "400 Bad Request: missing required Host header");
    return false;
  }
  SettleTarget(request_);
  return true;
}

void ServerConnection::AllowBody(uint64_t bytes_max) {
  body_bytes_max_ = bytes_max;
  if (const Result<void> limited = parser_.LimitBody(bytes_max); !limited) return Refuse(limited.error());
  if (message_ended_ || !std::exchange(expects_continue_, false)) return;
  socket_.Write(std::string("HTTP/1.1 100 Continue\r\n\r\n"));
}

void ServerConnection::OnHead(MessageHead head) {
  Enter(Phase::kReadingBody);
  head_came_ = true;
  message_ended_ = false;
  is_http_1_0_ = head.is_http_1_0;
  expects_continue_ = !is_http_1_0_ && HasToken(head.headers, "expect", "100-continue");
  is_head_ = head.method == "HEAD";
  request_.method = std::move(head.method);
  request_.target = std::move(head.target);
  request_.headers = std::move(head.headers);
}

void ServerConnection::OnBody(std::string_view piece) { request_.body.append(piece); }

void ServerConnection::OnEnd() { message_ended_ = true; }

void ServerConnection::Dispatch() {
  keeps_alive_ = parser_.keep_alive() && !owner_.is_shutting_down();
  Enter(Phase::kAnswering);
  request_.peer_address = peer_address_;
  request_.peer_certificate = peer_;
  Responder responder(shared_from_this(), ++exchange_);
  owner_.handler().OnRequest(std::exchange(request_, {}), std::move(responder));
}

void ServerConnection::ReadBody(uint64_t exchange, uint64_t bytes_max,
                                std::move_only_function<void(std::string)> done) {
  if (!is_open(exchange) || phase_ != Phase::kAnswering) return;
  on_body_read_ = std::move(done);
  Enter(Phase::kReadingBody);
  AllowBody(bytes_max);
  ProcessLater();
}

void ServerConnection::FinishBody() {
  Enter(Phase::kAnswering);
  auto done = std::exchange(on_body_read_, nullptr);
  done(std::exchange(request_, {}).body);
}

void ServerConnection::Refuse(const Error& error) {
  if (error.code != Code::kLimit) return Refuse(400, "400 Bad Request");
  if (phase_ == Phase::kReadingHead) return Refuse(431, "431 Request Header Fields Too Large");
  if (!options_.too_large_json) return Refuse(413, "413 Request Entity Too Large");
  Refuse(413, options_.too_large_json(body_bytes_max_), "application/json");
}

void ServerConnection::Refuse(int status, std::string_view text, std::string_view content_type) {
  Enter(Phase::kAnswering);
  keeps_alive_ = false;
  is_head_ = false;
  Send(++exchange_, status, {{"Content-Type", std::string(content_type)}}, std::string(text));
}

bool ServerConnection::AnswerHasBody() const { return !is_head_ && StatusHasBody(status_); }

void ServerConnection::Begin(uint64_t exchange, int status, std::vector<Header> headers, const size_t* length) {
  if (!is_open(exchange) || phase_ != Phase::kAnswering) return;
  phase_ = Phase::kStreaming;
  status_ = status;
  is_chunked_ = length == nullptr && !is_http_1_0_ && StatusHasBody(status);
  if (HasToken(headers, "connection", "close") || owner_.is_shutting_down()) keeps_alive_ = false;
  if (length == nullptr && is_http_1_0_) keeps_alive_ = false;
  if (!message_ended_) keeps_alive_ = false;  // A body that nobody wants is not read.
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", status, StatusText(status));
  for (const Header& header : headers) {
    if (!IsValid(header) || EqualsIgnoringCase(header.name, "connection")) continue;
    head.append(header.name).append(": ").append(header.value).append("\r\n");
  }
  head.append("Date: ").append(owner_.DateNow()).append("\r\n");
  if (length != nullptr && StatusHasBody(status)) head += fmt::format("Content-Length: {}\r\n", *length);
  if (is_chunked_) head += "Transfer-Encoding: chunked\r\n";
  if (!keeps_alive_) {
    head += "Connection: close\r\n";
  } else if (is_http_1_0_) {
    head += "Connection: keep-alive\r\n";
  }
  socket_.Write(std::move(head += "\r\n"));
}

template <class Piece>
void ServerConnection::Send(uint64_t exchange, int status, std::vector<Header> headers, Piece body) {
  if (!is_open(exchange) || phase_ != Phase::kAnswering) return;
  const size_t length = ViewOf(body).size();
  Begin(exchange, status, std::move(headers), &length);
  if (AnswerHasBody()) socket_.Write(std::move(body));
  FinishAnswer();
}

template <class Piece>
void ServerConnection::Write(uint64_t exchange, Piece piece) {
  if (!is_open(exchange) || phase_ != Phase::kStreaming || !AnswerHasBody() || ViewOf(piece).empty()) return;
  if (!is_chunked_) return socket_.Write(std::move(piece));
  socket_.Write(fmt::format("{:x}\r\n", ViewOf(piece).size()));
  socket_.Write(std::move(piece));
  socket_.Write(std::string("\r\n"));
}

void ServerConnection::End(uint64_t exchange) {
  if (!is_open(exchange) || phase_ != Phase::kStreaming) return;
  if (is_chunked_ && AnswerHasBody()) socket_.Write(std::string("0\r\n\r\n"));
  FinishAnswer();
}

void ServerConnection::Abandon(uint64_t exchange) {
  if (!is_open(exchange)) return;
  if (phase_ == Phase::kStreaming) return Lose();
  Send(exchange, 500, {{"Content-Type", "text/plain; charset=utf-8"}}, std::string("500 Internal Server Error"));
}

void ServerConnection::FinishAnswer() {
  // What the callbacks hold goes last: it may hold this connection.
  const auto gone = std::exchange(on_gone_, nullptr);
  const auto drained = std::exchange(on_drained_, nullptr);
  const auto body_read = std::exchange(on_body_read_, nullptr);
  ++exchange_;
  if (!keeps_alive_) {
    Enter(Phase::kClosing);
    held_.clear();
    socket_.PauseReading(false);
    return socket_.Finish();
  }
  Enter(Phase::kIdle);
  if (!is_processing_ && !held_.empty()) ProcessLater();
}

void ServerConnection::SetGone(uint64_t exchange, std::move_only_function<void()> callback) {
  if (is_open(exchange)) on_gone_ = std::move(callback);
}

void ServerConnection::SetDrained(uint64_t exchange, std::move_only_function<void()> callback) {
  if (is_open(exchange)) on_drained_ = std::move(callback);
}

template void ServerConnection::Send(uint64_t, int, std::vector<Header>, std::string);
template void ServerConnection::Send(uint64_t, int, std::vector<Header>, std::shared_ptr<const std::string>);
template void ServerConnection::Write(uint64_t, std::string);
template void ServerConnection::Write(uint64_t, std::shared_ptr<const std::string>);

}  // namespace berth::net
