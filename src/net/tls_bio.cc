// SPDX-License-Identifier: Apache-2.0
#include "net/tls_bio.h"

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

namespace berth::net {
namespace {

constexpr int kShortRead = 1 << 16;  // A flag that OpenSSL does not use: the last read took all there was.

int DescriptorOf(BIO* bio) { return static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio))); }

bool MayRetry() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

int ReadBio(BIO* bio, char* data, int size) {
  BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY | kShortRead);
  const auto result = recv(DescriptorOf(bio), data, static_cast<size_t>(size), 0);
  if (result < 0 && MayRetry()) BIO_set_retry_read(bio);
  if (result > 0 && result < size) BIO_set_flags(bio, kShortRead);
  if (result == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(result);
}

int WriteBio(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  const auto result = send(DescriptorOf(bio), data, static_cast<size_t>(size), MSG_NOSIGNAL);
  if (result < 0 && MayRetry()) BIO_set_retry_write(bio);
  return static_cast<int>(result);
}

long ControlBio(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP ? 1 : 0;
}

const BIO_METHOD* SocketMethod() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without SIGPIPE");
    BIO_meth_set_read(made, ReadBio);
    BIO_meth_set_write(made, WriteBio);
    BIO_meth_set_ctrl(made, ControlBio);
    return made;
  }();
  return method;
}

}  // namespace

void AttachSocket(SSL* connection, int descriptor) {
  BIO* bio = BIO_new(SocketMethod());
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<intptr_t>(descriptor)));
  BIO_set_init(bio, 1);
  SSL_set_bio(connection, bio, bio);
}

bool IsDrained(SSL* connection) {
  return SSL_has_pending(connection) == 0 && BIO_test_flags(SSL_get_rbio(connection), kShortRead) != 0;
}

}  // namespace berth::net
