// SPDX-License-Identifier: Apache-2.0
// ServerConnection: one connection of an HttpServer and the request it is answering.
//
// While a request is being answered, or its answer waits for the peer to read it, what the peer sends next is held
// back, and beyond some size not read.
//
// Thread: that of the loop.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_parser.h"
#include "net/http_server.h"
#include "net/socket.h"

namespace berth::net {

class ServerConnection : public std::enable_shared_from_this<ServerConnection>,
                         private Socket::User,
                         private HttpParser::Events {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual HttpHandler& handler() = 0;
    virtual const std::string& DateNow() = 0;  // As in the Date header.
    virtual bool is_shutting_down() const = 0;
    virtual void OnGone(ServerConnection& connection) = 0;
  };

  ServerConnection(EventLoop& loop, Socket socket, std::string peer_address, const HttpServerOptions& options,
                   Owner& owner);
  ~ServerConnection() override;

  // `tls` may be null.
  void Start(std::shared_ptr<const TlsContext> tls);
  // Closes a connection that is late at `now`.
  void Check(Time now);
  // Nothing more is asked of it: now if it is idle, otherwise after the answer that is under way.
  void Retire();
  // Not being answered, so that it may go if there are too many.
  bool is_waiting() const { return phase_ < Phase::kAnswering; }
  Time waits_since() const { return phase_since_; }
  std::string_view peer_host() const;  // Its address without the port.
  // As if the peer had gone.
  void Lose();
  // At once. The owner is not told.
  void Close();

  // For responders; each does nothing unless `exchange` is the current one.
  bool is_open(uint64_t exchange) const { return is_open_ && exchange_ == exchange && phase_ >= Phase::kAnswering; }
  void ReadBody(uint64_t exchange, uint64_t bytes_max, std::move_only_function<void(std::string)> done);
  void Begin(uint64_t exchange, int status, std::vector<Header> headers, const size_t* length);
  template <class Piece>
  void Send(uint64_t exchange, int status, std::vector<Header> headers, Piece body);
  template <class Piece>
  void Write(uint64_t exchange, Piece piece);
  void End(uint64_t exchange);
  void Abandon(uint64_t exchange);
  size_t pending_bytes() const { return is_open_ ? socket_.pending_bytes() : 0; }
  void SetGone(uint64_t exchange, std::move_only_function<void()> callback);
  void SetDrained(uint64_t exchange, std::move_only_function<void()> callback);

 private:
  enum class Phase : uint8_t { kSecuring, kIdle, kReadingHead, kReadingBody, kClosing, kAnswering, kStreaming };

  void Process();
  void ProcessLater();
  bool MayProcess() const;
  void TakeMessagePart();
  // What the head says, before anything is made of it; false: it was refused.
  bool CheckHead();
  // Of so many bytes. Tells a peer that waits for the word.
  void AllowBody(uint64_t bytes_max);
  size_t held_max() const;
  void Dispatch();
  void FinishBody();
  void Refuse(const Error& error);
  void Refuse(int status, std::string_view text, std::string_view content_type = "text/plain; charset=utf-8");
  void FinishAnswer();
  void Enter(Phase phase);
  Duration TimeoutOf(Phase phase) const;
  bool AnswerHasBody() const;

  void OnSecured() override;
  void OnData(std::string_view bytes) override;
  void OnDrained() override;
  void OnClosed(Result<void> reason) override;
  void OnHead(MessageHead head) override;
  void OnBody(std::string_view piece) override;
  void OnEnd() override;

  EventLoop& loop_;
  Socket socket_;
  const HttpServerOptions& options_;
  Owner& owner_;
  HttpParser parser_;
  Phase phase_ = Phase::kIdle;
  bool is_open_ = true;
  bool is_processing_ = false;
  bool expects_continue_ = false;
  bool head_came_ = false;     // Since the last part of a message was looked at.
  bool answers_head_ = false;  // The handler gets the request without its body.
  bool message_ended_ = true;  // The one whose head came last.
  bool keeps_alive_ = true;
  bool is_http_1_0_ = false;
  bool is_chunked_ = false;
  int status_ = 0;
  uint64_t body_bytes_max_ = 0;
  uint64_t exchange_ = 0;
  std::string held_;  // Bytes of later requests.
  ServerRequest request_;
  bool is_head_ = false;  // The method is HEAD.
  const std::string peer_address_;
  std::shared_ptr<const PeerCertificate> peer_;
  std::move_only_function<void(std::string)> on_body_read_;  // Null: nobody waits for the body.
  std::move_only_function<void()> on_gone_;
  std::move_only_function<void()> on_drained_;
  Time phase_since_;
  Time deadline_;
  Time progress_at_;  // When output was last seen to move.
  uint64_t written_then_ = 0;
};

}  // namespace berth::net
