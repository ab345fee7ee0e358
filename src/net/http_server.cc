// SPDX-License-Identifier: Apache-2.0
#include "net/http_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <ctime>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/address.h"
#include "net/server_connection.h"
#include "net/socket.h"
#include "runtime/loop.h"
#include "runtime/system_error.h"

namespace berth::net {

namespace asio = boost::asio;

namespace {

constexpr int kAcceptsPerTurn = 64;

Result<int> OpenListener(const HttpServerOptions& options) {
  const auto address = ParseAddress(options.address, options.port);
  if (!address) return Invalid(fmt::format("listen tcp: address {} is not an IP address", options.address));
  const auto fail = [&](const char* call) {
    return Fail(Code::kUnavailable,
                fmt::format("listen tcp {}: {}: {}", AddressText(*address), call, runtime::SystemError(errno)));
  };
  const int fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  if (fd < 0) return fail("socket");
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (options.reuse_port) setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
  const int buffer = options.receive_buffer_bytes;  // Connections inherit it.
  if (buffer > 0) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer));
  const bool bound = bind(fd, reinterpret_cast<const sockaddr*>(&*address), SizeOf(*address)) == 0;
  // Those that wait to be accepted can send something too.
  const int line = static_cast<int>(std::min<size_t>(SOMAXCONN, options.connections_max));
  if (bound && listen(fd, line) == 0) return fd;
  const auto error = fail(bound ? "listen" : "bind");
  close(fd);
  return error;
}

uint16_t PortOfListener(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return PortOf(address);
}

}  // namespace

struct HttpServer::Impl : ServerConnection::Owner, std::enable_shared_from_this<HttpServer::Impl> {
  Impl(EventLoop& event_loop, HttpServerOptions server_options, HttpHandler& request_handler, int fd)
      : loop(event_loop),
        options(std::move(server_options)),
        answering(request_handler),
        listener(event_loop.context(), fd),
        listen_port(PortOfListener(fd)),
        sweep(event_loop, {.delay = runtime::Every(Seconds(1))}, [this] { Sweep(); }),
        grace_timer(event_loop),
        accept_pause(event_loop) {}

  EventLoop& loop;
  const HttpServerOptions options;
  HttpHandler& answering;
  std::shared_ptr<const TlsContext> tls;
  asio::posix::stream_descriptor listener;
  const uint16_t listen_port;
  bool accepting = false;  // Waits for a connection.
  bool shutting_down = false;
  std::move_only_function<void()> on_shut_down;
  std::unordered_map<ServerConnection*, std::shared_ptr<ServerConnection>> connections;
  runtime::Loop sweep;
  runtime::Timer grace_timer;
  runtime::Timer accept_pause;
  std::string date;
  int64_t date_second = 0;

  void Start() {
    AwaitConnection();
    sweep.StartLater();
  }

  bool is_full() const { return connections.size() >= options.connections_max; }

  void AwaitConnection() {
    if (accepting || shutting_down) return;
    accepting = true;
    listener.async_wait(asio::posix::descriptor_base::wait_read,
                        [weak = weak_from_this()](boost::system::error_code error) {
                          const auto self = weak.lock();
                          if (!self || error) return;
                          self->accepting = false;
                          self->Accept();
                        });
  }

  void Accept() {
    // Somebody is there, but perhaps nobody else.
    if (is_full() && !MakeRoom()) return AwaitLater();
    for (int i = 0; i < kAcceptsPerTurn && !is_full(); ++i) {
      sockaddr_storage address{};
      socklen_t size = sizeof(address);
      const int fd =
          accept4(listener.native_handle(), reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd >= 0) {
        Serve(fd, address);
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        MakeRoom();
        return AwaitLater();
      } else if (errno != EINTR && errno != ECONNABORTED) {
        break;
      }
    }
    AwaitConnection();
  }

  // A connection that is not accepted stays in the queue of the system, so waiting for it would not wait.
  void AwaitLater() {
    accept_pause.Start(Milliseconds(100), [this] { AwaitConnection(); });
  }

  void Serve(int fd, const sockaddr_storage& address) {
    auto connection = std::make_shared<ServerConnection>(loop, Socket(loop, fd), AddressText(address), options, *this);
    connections.emplace(connection.get(), connection);
    connection->Start(tls);
  }

  // Closes a connection that is not being answered; false if there is none.
  bool MakeRoom() {
    std::unordered_map<std::string_view, size_t> by_host;
    for (const auto& [key, connection] : connections) ++by_host[connection->peer_host()];
    std::shared_ptr<ServerConnection> least;
    const auto goes_before = [&](const ServerConnection& a, const ServerConnection& b) {
      const size_t of_a = by_host[a.peer_host()];
      const size_t of_b = by_host[b.peer_host()];
      return of_a != of_b ? of_a > of_b : a.waits_since() < b.waits_since();
    };
    for (const auto& [key, connection] : connections) {
      if (connection->is_waiting() && (!least || goes_before(*connection, *least))) least = connection;
    }
    if (least) least->Lose();
    return least != nullptr;
  }

  // Deadlines need no exact time, so one timer serves all connections.
  void Sweep() {
    const Time now = loop.Now();
    for (const auto& connection : Snapshot()) connection->Check(now);
  }

  HttpHandler& handler() override { return answering; }
  bool is_shutting_down() const override { return shutting_down; }

  const std::string& DateNow() override {
    const int64_t second = loop.WallNow().nanos / 1'000'000'000;
    if (second == date_second) return date;
    date_second = second;
    const auto time = static_cast<time_t>(second);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[40];
    date.assign(text, std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts));
    return date;
  }

  void OnGone(ServerConnection& connection) override {
    connections.erase(&connection);
    if (shutting_down && connections.empty()) ReportShutDown();
  }

  void Shutdown(Duration grace, std::move_only_function<void()> done) {
    shutting_down = true;
    on_shut_down = std::move(done);
    boost::system::error_code ignored;
    listener.close(ignored);
    accept_pause.Stop();
    for (const auto& connection : Snapshot()) connection->Retire();
    if (connections.empty()) return ReportShutDown();
    grace_timer.Start(grace, [this] {
      CloseAll();
      ReportShutDown();
    });
  }

  std::vector<std::shared_ptr<ServerConnection>> Snapshot() const {
    std::vector<std::shared_ptr<ServerConnection>> all;
    all.reserve(connections.size());
    for (const auto& [key, connection] : connections) all.push_back(connection);
    return all;
  }

  void CloseAll() {
    for (const auto& connection : Snapshot()) connection->Close();
    connections.clear();
  }

  void ReportShutDown() {
    sweep.Stop();
    grace_timer.Stop();
    if (on_shut_down) loop.Post(std::exchange(on_shut_down, nullptr));
  }
};

HttpServer::HttpServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  impl_->shutting_down = true;
  impl_->CloseAll();
}

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(EventLoop& loop, HttpServerOptions options,
                                                       HttpHandler& handler) {
  std::shared_ptr<const TlsContext> tls;
  if (options.tls) tls = BERTH_TRY(TlsContext::ForServer(*options.tls));
  const int fd = BERTH_TRY(OpenListener(options));
  auto impl = std::make_shared<Impl>(loop, std::move(options), handler, fd);
  impl->tls = std::move(tls);
  impl->Start();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

uint16_t HttpServer::port() const { return impl_->listen_port; }
size_t HttpServer::connection_count() const { return impl_->connections.size(); }

Result<void> HttpServer::SetTls(const TlsServerOptions& tls) {
  impl_->tls = BERTH_TRY(TlsContext::ForServer(tls));
  return {};
}

void HttpServer::Shutdown(Duration grace, std::move_only_function<void()> done) {
  impl_->Shutdown(grace, std::move(done));
}

}  // namespace berth::net
