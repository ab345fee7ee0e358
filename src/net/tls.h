// SPDX-License-Identifier: Apache-2.0
// TLS: what a side of a connection shows and demands.
//
// A context is made once from PEM texts and shared by the connections that use it; to rotate certificates, make
// another. TLS 1.2 is the least that is spoken. Errors never quote a key.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

using SSL = struct ssl_st;  // Of OpenSSL.

namespace berth::net {

struct TlsClientOptions {
  std::string ca_pem;  // Empty: the system's. Whoever reads it from a file makes sure that it is not.
  std::string certificate_pem;
  std::string key_pem;
  std::string server_name;  // Checked and sent instead of the host's name.
  bool insecure_skip_verify = false;
};

struct TlsServerOptions {
  std::string certificate_pem;  // With its chain.
  std::string key_pem;
  // A client may show a certificate; handlers hear whose it is and whether one of these signed it.
  bool request_client_certificate = false;
  std::string client_ca_pem;
  std::string front_proxy_ca_pem;          // Of proxies that speak for others; empty: there are none.
  std::string min_version;                 // Such as VersionTLS13; empty: VersionTLS12.
  std::vector<std::string> cipher_suites;  // Such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256; empty: the usual ones.
};

// Who the other side says it is.
struct PeerCertificate {
  std::string common_name;
  std::vector<std::string> organizations;
  std::string fingerprint;  // SHA-256 of the certificate, in hexadecimal digits.
  std::string error;        // Why it is not to be believed; empty: it was verified.
  std::string front_proxy_error = "x509: certificate signed by unknown authority";  // Why it is no proxy's.

  bool is_verified() const { return error.empty(); }
};

class TlsContext {
 public:
  static Result<std::shared_ptr<const TlsContext>> ForClient(const TlsClientOptions& options);
  static Result<std::shared_ptr<const TlsContext>> ForServer(const TlsServerOptions& options);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  // A new connection; for a client, to `host`. The caller frees it with SSL_free before the context goes. Null: the
  // name cannot be checked, so the connection must not be made.
  SSL* NewConnection(const std::string& host) const;
  // Null if it showed none. Of a server's connection after the handshake.
  std::unique_ptr<PeerCertificate> PeerOf(SSL* connection) const;

 private:
  TlsContext();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether a PEM text is one or more certificates.
Result<void> CheckCertificates(std::string_view pem);

// Why a handshake failed, in Go's words where it has some.
std::string HandshakeError(SSL* connection);

}  // namespace berth::net
