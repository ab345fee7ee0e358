// SPDX-License-Identifier: Apache-2.0
// ClientConnection: one connection of an HttpClient and the calls that have it.
//
// It opens the connection (through a proxy, with TLS, as the server wants it). Over HTTP/1.1 it then carries one call
// after another; if the server speaks HTTP/2, many side by side (Http2Calls).
//
// Thread: that of the loop.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/client_call.h"
#include "net/connector.h"
#include "net/http2_calls.h"
#include "net/http_client.h"
#include "net/http_parser.h"
#include "net/socket.h"
#include "runtime/timers.h"

namespace berth::net {

class ClientConnection : private Socket::User, private HttpParser::Events, private Http2Calls::User {
 public:
  using CallPtr = std::shared_ptr<ClientCall>;

  // Hears what becomes of the connection. Each function may hand the connection over to be destroyed, but not destroy
  // it.
  class Owner {
   public:
    virtual ~Owner() = default;
    // It is open, and what it speaks is known. The calls given back are more than it can carry.
    virtual void OnOpen(ClientConnection& connection, std::vector<CallPtr> given_back) = 0;
    virtual void OnAnswerBegun(ClientConnection& connection) = 0;
    // The call is over and the connection is free for another, or has nothing left to give.
    virtual void OnAnswered(ClientConnection& connection, CallPtr call, bool reusable) = 0;
    // The call has failed, but the connection goes on.
    virtual void OnCallLost(CallPtr call, Error error) = 0;
    // The connection is lost, and with it the calls on it.
    virtual void OnLost(ClientConnection& connection, std::vector<std::pair<CallPtr, Error>> calls) = 0;
  };

  ClientConnection(EventLoop& loop, const HttpClientOptions& options, std::shared_ptr<const TlsContext> tls,
                   Owner& owner);
  ~ClientConnection() override;

  // REQUIRES: room() > 0.
  void Carry(CallPtr call);
  void Pause(const ClientCall& call, bool paused);
  // Nothing more is heard of the call. False: the connection is of no use without it.
  bool GiveUp(const ClientCall& call);
  // Nothing more is heard of it.
  void Close();

  bool IsUsable() { return !socket_->HasNews(); }  // REQUIRES: it is idle, and speaks HTTP/1.1.
  bool has_written(const ClientCall& call) const;  // Whether anything of the call may have reached the server.
  size_t room() const;                             // How many more calls it takes. While it opens, many may wait.
  bool is_empty() const;                           // No call has it.
  bool speaks_http2() const { return http2_.has_value(); }
  bool uses(const std::shared_ptr<const TlsContext>& tls) const { return tls_ == tls; }
  Time idle_since() const { return idle_since_; }

 private:
  enum class State : uint8_t { kConnecting, kTunnelling, kSecuring, kReady, kClosed };

  void Open();
  void OnConnected(Result<Socket> socket);
  void AskForTunnel();
  void OnTunnelAnswer();
  void Secure();
  void Ready();
  void Start(CallPtr call);
  void Send();
  void FinishAnswer(bool reusable);
  void Lose(Error error);
  std::vector<CallPtr> TakeCalls();
  // What the error means for a call, and whether that is to be sent again.
  Error Explain(ClientCall& call, Error error) const;

  void OnSecured() override;
  void OnData(std::string_view bytes) override;
  void OnClosed(Result<void> reason) override;
  void OnHead(MessageHead head) override;
  void OnBody(std::string_view piece) override;
  void OnEnd() override;
  void OnStreamBegun() override { owner_.OnAnswerBegun(*this); }
  void OnStreamEnded(CallPtr call, Result<void> end) override;
  void OnSilence() override;

  EventLoop& loop_;
  const HttpClientOptions& options_;
  std::shared_ptr<const TlsContext> tls_;  // Null: plain.
  Owner& owner_;
  State state_ = State::kConnecting;
  std::optional<Connector> connector_;
  std::optional<Socket> socket_;
  HttpParser parser_;
  runtime::Timer handshake_timer_;
  std::vector<CallPtr> waiting_;     // While it opens.
  CallPtr call_;                     // Over HTTP/1.1.
  std::optional<Http2Calls> http2_;  // Over HTTP/2.
  bool has_answer_ = false;          // Some byte of the answer came.
  bool message_ended_ = false;       // In the bytes being parsed.
  int tunnel_status_ = 0;
  Time idle_since_;
};

}  // namespace berth::net
