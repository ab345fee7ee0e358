// SPDX-License-Identifier: Apache-2.0
// ClientConnection: one connection of an HttpClient and the call that has it.
//
// It opens the connection (through a proxy, with TLS, as the server wants it) and then carries one call after another.
//
// Thread: that of the loop.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "net/connector.h"
#include "net/http_client.h"
#include "net/http_parser.h"
#include "net/socket.h"
#include "runtime/timers.h"

namespace berth::net {

// A call and where it is. Shared, because a receiver may cancel the call it is told about.
struct ClientCall {
  Transport::CallId id = 0;
  Request request;
  Receiver receiver;
  class ClientConnection* connection = nullptr;  // Null: in line.
  bool paused = false;
  bool wants_new_connection = false;  // Its reused one was closed.
  bool has_head = false;
  uint64_t timeout = 0;  // A timer; 0: none.
};

class ClientConnection : private Socket::User, private HttpParser::Events {
 public:
  // Hears what becomes of the connection. Each function may hand the connection over to be destroyed, but not destroy
  // it.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void OnAnswerBegun(ClientConnection& connection) = 0;
    // The call is over and the connection is free for another, or has nothing left to give.
    virtual void OnAnswered(ClientConnection& connection, std::shared_ptr<ClientCall> call, bool reusable) = 0;
    // The connection is lost, and with it the call if there is one.
    virtual void OnLost(ClientConnection& connection, std::shared_ptr<ClientCall> call, Error error) = 0;
  };

  ClientConnection(EventLoop& loop, const HttpClientOptions& options, std::shared_ptr<const TlsContext> tls,
                   Owner& owner);
  ~ClientConnection() override;

  // REQUIRES: no call has it.
  void Carry(std::shared_ptr<ClientCall> call);
  void Pause(bool paused);
  // Nothing more is heard of it.
  void Close();

  bool IsUsable() { return !socket_->HasNews(); }  // REQUIRES: it is idle.
  bool has_written() const;                        // Whether anything of the call may have reached the server.
  bool is_ready() const { return state_ == State::kReady; }
  bool uses(const std::shared_ptr<const TlsContext>& tls) const { return tls_ == tls; }
  Time idle_since() const { return idle_since_; }
  const std::shared_ptr<ClientCall>& call() const { return call_; }

 private:
  enum class State : uint8_t { kConnecting, kTunnelling, kSecuring, kReady, kClosed };

  void Open();
  void OnConnected(Result<Socket> socket);
  void AskForTunnel();
  void OnTunnelAnswer();
  void Secure();
  void Ready();
  void Send();
  void FinishAnswer(bool reusable);
  void Lose(Error error);
  Error Explain(Error error) const;

  void OnSecured() override;
  void OnData(std::string_view bytes) override;
  void OnClosed(Result<void> reason) override;
  void OnHead(MessageHead head) override;
  void OnBody(std::string_view piece) override;
  void OnEnd() override;

  EventLoop& loop_;
  const HttpClientOptions& options_;
  std::shared_ptr<const TlsContext> tls_;  // Null: plain.
  Owner& owner_;
  State state_ = State::kConnecting;
  std::optional<Connector> connector_;
  std::optional<Socket> socket_;
  HttpParser parser_;
  runtime::Timer handshake_timer_;
  std::shared_ptr<ClientCall> call_;
  bool is_reused_ = false;      // The call is not the first one.
  bool has_answer_ = false;     // Some byte of the answer came.
  bool message_ended_ = false;  // In the bytes being parsed.
  int tunnel_status_ = 0;
  uint64_t written_before_ = 0;  // Bytes of earlier calls.
  Time idle_since_;
};

}  // namespace berth::net
