// SPDX-License-Identifier: Apache-2.0
// Socket: a TCP connection on an event loop, plain or with TLS, that reads when bytes come and writes when there is
// room.
//
// Output is queued and goes out once the current callback is over, so that many small writes become one. An idle
// connection holds no buffer.
//
// Thread: that of the loop. The user is called by the loop only, never inside a call of the socket.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/event_loop.h"
#include "net/tls.h"

namespace berth::net {

class Socket {
 public:
  // Each function may close or destroy the socket.
  class User {
   public:
    virtual ~User() = default;
    virtual void OnSecured() {}                       // The handshake is done.
    virtual void OnData(std::string_view bytes) = 0;  // Views a buffer of the loop.
    virtual void OnDrained() {}                       // All output is with the system.
    virtual void OnClosed(Result<void> reason) = 0;   // The last call. An error unless the peer just closed.
  };

  // Takes a connected, non-blocking descriptor.
  Socket(EventLoop& loop, int descriptor);
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) = delete;

  // Begins to read.
  void Start(User& user);
  // Begins a handshake. Output waits for it. A client names the host it wants; one that cannot be checked closes the
  // connection.
  void Secure(std::shared_ptr<const TlsContext> context, const std::string& host = "");

  void Write(std::string bytes);
  void Write(std::shared_ptr<const std::string> bytes);
  size_t pending_bytes() const;    // Queued and not yet with the system.
  uint64_t written_bytes() const;  // Handed to the system since the connection exists.

  // Whether the peer has closed, failed or sent something, as far as this side knows by now.
  bool HasNews();

  void PauseReading(bool paused);
  // Tells the peer that nothing more comes, once the output is written.
  void Finish();
  // At once, without a word to the user.
  void Close();

  std::unique_ptr<PeerCertificate> TakePeerCertificate();  // Null: none was shown.
  std::string_view Protocol() const;                       // Agreed on in the handshake, such as h2; empty: none.

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace berth::net
