// SPDX-License-Identifier: Apache-2.0
#include "net/socket.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <utility>

#include "net/output_queue.h"
#include "net/tls_bio.h"
#include "net/x509.h"
#include "runtime/system_error.h"

namespace berth::net {

namespace asio = boost::asio;
using asio::posix::descriptor_base;

namespace {

constexpr int kReadsPerTurn = 8;  // So that one fast peer does not keep the others waiting.
constexpr size_t kTlsRecord = 16 * 1024;

// One buffer serves all sockets of a thread, because the bytes are used at once.
std::array<char, 64 * 1024>& ReadBuffer() {
  static thread_local std::array<char, 64 * 1024> buffer;
  return buffer;
}

// Dead peers are noticed within about a minute.
void SetOptions(int descriptor) {
  const auto set = [&](int level, int option, int value) {
    setsockopt(descriptor, level, option, &value, sizeof(value));
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
}

}  // namespace

struct Socket::Impl : std::enable_shared_from_this<Socket::Impl> {
  // What one attempt to move bytes came to.
  enum class Io : uint8_t { kDone, kWantRead, kWantWrite, kEnd, kFailed };

  Impl(EventLoop& loop, int fd) : descriptor(loop.context(), fd) { SetOptions(fd); }

  asio::posix::stream_descriptor descriptor;
  std::shared_ptr<const TlsContext> tls;
  OwnedConnection ssl;
  User* user = nullptr;  // Null: not started, or closed.
  OutputQueue output;
  uint64_t written = 0;
  bool handshaking = false;
  bool paused = false;
  bool awaits_read = false;
  bool awaits_write = false;
  bool flush_posted = false;
  bool finishing = false;
  bool broken = false;  // Writing failed.
  std::string error;    // Of the attempt that came to kFailed.

  bool is_open() const { return descriptor.is_open(); }
  int fd() { return descriptor.native_handle(); }

  void Close() {
    user = nullptr;
    boost::system::error_code ignored;
    descriptor.close(ignored);
  }

  void Report(Result<void> reason) {
    User* told = std::exchange(user, nullptr);
    Close();
    if (told != nullptr) told->OnClosed(std::move(reason));
  }

  void AwaitRead() {
    if (awaits_read || !is_open()) return;
    awaits_read = true;
    descriptor.async_wait(descriptor_base::wait_read, [self = shared_from_this()](boost::system::error_code) {
      self->awaits_read = false;
      self->Turn();
    });
  }
  void AwaitWrite() {
    if (awaits_write || !is_open()) return;
    awaits_write = true;
    descriptor.async_wait(descriptor_base::wait_write, [self = shared_from_this()](boost::system::error_code) {
      self->awaits_write = false;
      self->Turn();
    });
  }
  void Await(Io io) { io == Io::kWantWrite ? AwaitWrite() : AwaitRead(); }

  void PostTurn() {
    if (std::exchange(flush_posted, true)) return;
    asio::post(descriptor.get_executor(), [self = shared_from_this()] {
      self->flush_posted = false;
      self->Turn();
    });
  }

  // Does all that can be done now.
  void Turn() {
    if (user == nullptr) return;
    if (handshaking && !Handshake()) return;
    if (user != nullptr) ReadTurn();
    if (user != nullptr) FlushTurn();
  }

  bool Handshake() {
    if (!ssl) {
      Report(Fail(Code::kUnavailable, "tls: the name of the server cannot be checked"));
      return false;
    }
    ERR_clear_error();
    const Io io = FromSsl(SSL_do_handshake(ssl.get()));
    if (io == Io::kWantRead || io == Io::kWantWrite) {
      Await(io);
      return false;
    }
    if (io != Io::kDone) {
      Report(Fail(Code::kUnavailable, io == Io::kEnd ? "EOF" : error));
      return false;
    }
    handshaking = false;
    user->OnSecured();
    return true;
  }

  // What OpenSSL has taken from the system, the system announces no more.
  bool IsAnnounced() const { return awaits_read && !(ssl && SSL_has_pending(ssl.get()) != 0); }

  void ReadTurn() {
    if (paused || IsAnnounced()) return;
    std::array<char, 64 * 1024>& buffer = ReadBuffer();
    for (int i = 0; i < kReadsPerTurn; ++i) {
      size_t size = 0;
      const Io io = Read(buffer.data(), buffer.size(), size);
      if (io == Io::kWantRead || io == Io::kWantWrite) return Await(io);
      if (io == Io::kEnd) return Report({});
      if (io == Io::kFailed) return Report(Fail(Code::kInternal, error));
      user->OnData({buffer.data(), size});
      if (user == nullptr || paused) return;
      if (ssl ? IsDrained(ssl.get()) : size < buffer.size()) return AwaitRead();
    }
    PostTurn();
  }

  void FlushTurn() {
    if (awaits_write || broken) return;
    if (output.is_empty()) return ShutDown();
    while (!output.is_empty()) {
      size_t size = 0;
      const Io io = ssl ? WriteTls(size) : WritePlain(size);
      if (io == Io::kWantRead || io == Io::kWantWrite) return Await(io);
      if (io != Io::kDone) return Break();
      written += size;
      output.Consume(size);
    }
    ShutDown();
    user->OnDrained();
  }

  // The peer may have answered before it stopped listening, so what it sent is still read.
  void Break() {
    broken = true;
    output.Clear();
    if (paused) Report(Fail(Code::kInternal, error));
  }

  void ShutDown() {
    if (!finishing || broken) return;
    if (ssl) SSL_shutdown(ssl.get());
    ERR_clear_error();
    shutdown(fd(), SHUT_WR);
    broken = true;  // Nothing can be written any more.
  }

  Io FromErrno(const char* operation) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Io::kWantRead;
    error = fmt::format("{}: {}", operation, runtime::SystemError(errno));
    return Io::kFailed;
  }

  Io FromSsl(int result) {
    if (result > 0) return Io::kDone;
    const int saved = errno;
    switch (SSL_get_error(ssl.get(), result)) {
      case SSL_ERROR_WANT_READ: return Io::kWantRead;
      case SSL_ERROR_WANT_WRITE: return Io::kWantWrite;
      case SSL_ERROR_ZERO_RETURN: return Io::kEnd;
      case SSL_ERROR_SYSCALL:
        error = saved == 0 ? "EOF" : fmt::format("read: {}", runtime::SystemError(saved));
        return saved == 0 ? Io::kEnd : Io::kFailed;
      default: error = HandshakeError(ssl.get()); return Io::kFailed;
    }
  }

  Io Read(char* data, size_t capacity, size_t& size) {
    if (ssl) {
      ERR_clear_error();
      errno = 0;
      return FromSsl(SSL_read_ex(ssl.get(), data, capacity, &size));
    }
    ssize_t result = 0;
    do result = recv(fd(), data, capacity, 0);
    while (result < 0 && errno == EINTR);
    if (result < 0) return FromErrno("read");
    size = static_cast<size_t>(result);
    return size == 0 ? Io::kEnd : Io::kDone;
  }

  Io WritePlain(size_t& size) {
    std::array<iovec, 64> parts{};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = output.Gather(parts);
    ssize_t result = 0;
    do result = sendmsg(fd(), &message, MSG_NOSIGNAL);
    while (result < 0 && errno == EINTR);
    if (result < 0) return FromErrno("write") == Io::kWantRead ? Io::kWantWrite : Io::kFailed;
    size = static_cast<size_t>(result);
    return Io::kDone;
  }

  // Small pieces share a record. A repeated attempt offers the same bytes first, as OpenSSL demands.
  Io WriteTls(size_t& size) {
    std::array<char, kTlsRecord> scratch;  // NOLINT: filled below.
    const std::string_view record = output.Front(scratch);
    ERR_clear_error();
    errno = 0;
    return FromSsl(SSL_write_ex(ssl.get(), record.data(), record.size(), &size));
  }
};

Socket::Socket(EventLoop& loop, int descriptor) : impl_(std::make_shared<Impl>(loop, descriptor)) {}

Socket::Socket(Socket&& other) noexcept = default;

Socket::~Socket() {
  if (impl_) impl_->Close();
}

void Socket::Start(User& user) {
  impl_->user = &user;
  impl_->AwaitRead();
}

void Socket::Secure(std::shared_ptr<const TlsContext> context, const std::string& host) {
  impl_->tls = std::move(context);
  impl_->ssl.reset(impl_->tls->NewConnection(host));
  if (impl_->ssl) AttachSocket(impl_->ssl.get(), impl_->fd());
  impl_->handshaking = true;
  impl_->PostTurn();
}

void Socket::Write(std::string bytes) {
  if (impl_->broken || bytes.empty()) return;
  impl_->output.Add(std::move(bytes));
  impl_->PostTurn();
}

void Socket::Write(std::shared_ptr<const std::string> bytes) {
  if (impl_->broken || bytes->empty()) return;
  impl_->output.Add(std::move(bytes));
  impl_->PostTurn();
}

size_t Socket::pending_bytes() const { return impl_->output.size(); }
uint64_t Socket::written_bytes() const { return impl_->written; }

bool Socket::HasNews() {
  if (!impl_->is_open() || impl_->broken) return true;
  char byte = 0;
  if (!impl_->ssl) return recv(impl_->fd(), &byte, 1, MSG_PEEK) >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
  size_t size = 0;
  ERR_clear_error();
  errno = 0;
  return impl_->FromSsl(SSL_peek_ex(impl_->ssl.get(), &byte, 1, &size)) != Impl::Io::kWantRead;
}

void Socket::PauseReading(bool paused) {
  if (std::exchange(impl_->paused, paused) && !paused) impl_->PostTurn();
}

void Socket::Finish() {
  impl_->finishing = true;
  impl_->PostTurn();
}

void Socket::Close() { impl_->Close(); }

std::unique_ptr<PeerCertificate> Socket::TakePeerCertificate() {
  return impl_->ssl ? impl_->tls->PeerOf(impl_->ssl.get()) : nullptr;
}

std::string_view Socket::Protocol() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  if (impl_->ssl) SSL_get0_alpn_selected(impl_->ssl.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

}  // namespace berth::net
