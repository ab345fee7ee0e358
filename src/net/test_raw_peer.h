// SPDX-License-Identifier: Apache-2.0
// A peer that speaks plain bytes, for tests of what a well-behaved peer would not do.

#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/address.h"
#include "net/connector.h"
#include "net/event_loop.h"
#include "net/socket.h"

namespace berth::net {

// One connection whose received bytes are kept as text.
class RawPeer : public Socket::User {
 public:
  explicit RawPeer(Socket socket) : socket_(std::move(socket)) { socket_.Start(*this); }

  void OnData(std::string_view bytes) override {
    received.append(bytes);
    if (on_data) on_data(*this);
  }
  void OnClosed(Result<void>) override { closed = true; }
  Socket& socket() { return socket_; }

  std::string received;
  bool closed = false;
  std::function<void(RawPeer&)> on_data;

 private:
  Socket socket_;
};

// Connects to a local port; the peer is there once the loop ran.
class RawClient {
 public:
  RawClient(EventLoop& loop, uint16_t port)
      : connector_(loop, "127.0.0.1", port, Seconds(5), [this](Result<Socket> socket) {
          ASSERT_TRUE(socket) << socket.error().message;
          peer = std::make_unique<RawPeer>(*std::move(socket));
        }) {}

  std::unique_ptr<RawPeer> peer;

 private:
  Connector connector_;
};

// Accepts connections by polling.
class RawServer {
 public:
  explicit RawServer(EventLoop& loop) : loop_(loop), timer_(loop) {
    sockaddr_storage address = *ParseAddress("127.0.0.1", 0);
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), SizeOf(address)), 0);
    EXPECT_EQ(listen(fd_, 16), 0);
    socklen_t size = sizeof(address);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port = PortOf(address);
    Accept();
  }
  ~RawServer() { close(fd_); }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  uint16_t port = 0;
  std::vector<std::unique_ptr<RawPeer>> peers;
  std::function<void(RawPeer&)> on_data;
  std::shared_ptr<const TlsContext> tls;  // Null: plain.

 private:
  void Accept() {
    const int fd = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      peers.push_back(std::make_unique<RawPeer>(Socket(loop_, fd)));
      peers.back()->on_data = on_data;
      if (tls) peers.back()->socket().Secure(tls);
    }
    timer_.Start(Milliseconds(1), [this] { Accept(); });
  }

  EventLoop& loop_;
  runtime::Timer timer_;
  int fd_ = -1;
};

}  // namespace berth::net
