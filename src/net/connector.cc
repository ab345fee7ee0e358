// SPDX-License-Identifier: Apache-2.0
#include "net/connector.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "net/address.h"
#include "runtime/system_error.h"
#include "runtime/timers.h"

namespace berth::net {

namespace asio = boost::asio;
using asio::ip::tcp;

struct Connector::Impl : std::enable_shared_from_this<Connector::Impl> {
  Impl(EventLoop& event_loop, std::string to_host, uint16_t to_port, Done on_done)
      : loop(event_loop), host(std::move(to_host)), port(to_port), done(std::move(on_done)) {}

  EventLoop& loop;
  std::string host;
  uint16_t port;
  Done done;  // Empty once called or given up.
  runtime::Timer timeout{loop};
  tcp::resolver resolver{loop.context()};
  std::vector<sockaddr_storage> addresses;
  size_t next = 0;
  std::optional<asio::posix::stream_descriptor> descriptor;
  std::string first_error;

  void Start(Duration limit) {
    if (limit > Duration{}) {
      timeout.Start(limit, [this] {
        const std::string target = addresses.empty() ? JoinHostPort(host, port) : AddressText(addresses[Current()]);
        End(Fail(Code::kUnavailable, fmt::format("dial tcp {}: i/o timeout", target)));
      });
    }
    if (auto address = ParseAddress(host, port)) {
      addresses.push_back(*address);
      loop.Post([self = shared_from_this()] { self->TryNext(); });
      return;
    }
    resolver.async_resolve(host, std::to_string(port), tcp::resolver::numeric_service,
                           [self = shared_from_this()](boost::system::error_code error, const auto& found) {
                             if (!self->done) return;
                             for (const auto& entry : found) self->AddAddress(entry.endpoint());
                             if (error) self->first_error = fmt::format("lookup {}: {}", self->host, TextOf(error));
                             self->TryNext();
                           });
  }

  static std::string TextOf(const boost::system::error_code& error) {
    return error == asio::error::host_not_found || error == asio::error::no_data ? "no such host" : error.message();
  }

  void AddAddress(const tcp::endpoint& endpoint) {
    sockaddr_storage& address = addresses.emplace_back();
    std::memcpy(&address, endpoint.data(), endpoint.size());
  }

  size_t Current() const { return next == 0 ? 0 : next - 1; }

  void TryNext() {
    if (!done) return;
    while (next < addresses.size()) {
      if (Connect(addresses[next++])) return;
    }
    End(Fail(Code::kUnavailable, addresses.empty() ? fmt::format("dial tcp: {}", first_error) : first_error));
  }

  void Note(const char* call, int code) {
    if (!first_error.empty()) return;
    first_error =
        fmt::format("dial tcp {}: {}: {}", AddressText(addresses[Current()]), call, runtime::SystemError(code));
  }

  // Whether the attempt is under way.
  bool Connect(const sockaddr_storage& address) {
    const int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (fd < 0) {
      Note("socket", errno);
      return false;
    }
    descriptor.emplace(loop.context(), fd);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), SizeOf(address)) != 0 && errno != EINPROGRESS) {
      Note("connect", errno);
      return false;
    }
    descriptor->async_wait(asio::posix::descriptor_base::wait_write,
                           [self = shared_from_this()](boost::system::error_code) { self->Finish(); });
    return true;
  }

  void Finish() {
    if (!done) return;
    int code = 0;
    socklen_t size = sizeof(code);
    getsockopt(descriptor->native_handle(), SOL_SOCKET, SO_ERROR, &code, &size);
    if (code != 0) {
      Note("connect", code);
      return TryNext();
    }
    End(Socket(loop, descriptor->release()));
  }

  // The caller of this may be gone afterwards.
  void End(Result<Socket> result) {
    Done told = std::exchange(done, nullptr);
    Cancel();
    if (told) told(std::move(result));
  }

  void Cancel() {
    timeout.Stop();
    done = nullptr;
    resolver.cancel();
    descriptor.reset();
  }
};

Connector::Connector(EventLoop& loop, std::string host, uint16_t port, Duration timeout, Done done)
    : impl_(std::make_shared<Impl>(loop, std::move(host), port, std::move(done))) {
  impl_->Start(timeout);
}

Connector::~Connector() { impl_->Cancel(); }

}  // namespace berth::net
