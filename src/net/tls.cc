// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <utility>

#include "net/address.h"
#include "net/x509.h"

namespace berth::net {

struct TlsContext::Impl {
  OwnedContext context;
  OwnedStore client_roots;  // Of a server that wants client certificates.
  OwnedStore front_proxy_roots;
  std::string server_name;  // Of a client: the override.
  bool is_client = false;
  bool verifies = false;
  mutable OwnedSession session;  // Of a client: the last one, to be resumed.
};

namespace {

constexpr long kClientCertificatesMax = 32 * 1024;  // What a client may show, before anybody knows who it is.
constexpr size_t kReadBuffer = 64 * 1024;           // Several records of a list come at once.
constexpr std::array<unsigned char, 9> kHttp11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
// What a client offers; the server chooses.
constexpr std::array<unsigned char, 12> kHttp2Or11 = {2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

Result<void> UseCertificate(SSL_CTX* context, const std::string& certificate_pem, const std::string& key_pem) {
  const std::vector<OwnedCertificate> chain = BERTH_TRY(ParseCertificates(certificate_pem));
  const OwnedKey key = BERTH_TRY(ParseKey(key_pem));
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1) return Invalid("tls: failed to use the certificate");
  for (size_t i = 1; i < chain.size(); ++i) SSL_CTX_add1_chain_cert(context, chain[i].get());
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    ERR_clear_error();
    return Invalid("tls: private key does not match public key");
  }
  return {};
}

Result<void> Trust(X509_STORE* store, const std::string& ca_pem) {
  for (const OwnedCertificate& certificate : BERTH_TRY(ParseCertificates(ca_pem))) {
    X509_STORE_add_cert(store, certificate.get());
  }
  // A certificate in the bundle is trusted even when it is no root.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return {};
}

Result<int> VersionOf(const std::string& name) {
  if (name == "VersionTLS13") return TLS1_3_VERSION;
  // Older ones may be asked for, but are not spoken.
  if (name.empty() || name == "VersionTLS12" || name == "VersionTLS11" || name == "VersionTLS10") return TLS1_2_VERSION;
  return Invalid(fmt::format("unknown tls version \"{}\"", name));
}

Result<void> UseCiphers(SSL_CTX* context, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string list;
  for (const std::string& name : names) {
    // Those of TLS 1.3 are always on, as in Go.
    if (name == "TLS_AES_128_GCM_SHA256" || name == "TLS_AES_256_GCM_SHA384" || name == "TLS_CHACHA20_POLY1305_SHA256")
      continue;
    const std::string_view openssl = OPENSSL_cipher_name(name.c_str());
    if (openssl == "(NONE)") return Invalid(fmt::format("Cipher suite {} not supported or doesn't exist", name));
    if (!list.empty()) list += ':';
    list += openssl;
  }
  if (!list.empty() && SSL_CTX_set_cipher_list(context, list.c_str()) != 1) {
    ERR_clear_error();
    return Invalid("tls: none of the cipher suites is supported");
  }
  return {};
}

int ChooseHttp11(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* offered,
                 unsigned int offered_length, void*) {
  unsigned char* chosen = nullptr;
  const int found = SSL_select_next_proto(&chosen, out_length, kHttp11.data(), kHttp11.size(), offered, offered_length);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

// Any certificate is let in; PeerOf tells what to think of it.
int AcceptAnyCertificate(int, X509_STORE_CTX*) { return 1; }

int KeepSession(SSL* connection, SSL_SESSION* session) {
  auto* kept = static_cast<OwnedSession*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection)));
  kept->reset(session);
  return 1;
}

void SetUp(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_read_ahead(context, 1);  // Otherwise every record takes two reads: its head and its body.
  SSL_CTX_set_default_read_buffer_len(context, kReadBuffer);
  // A peer that just closes is seen by the length of its message.
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

}  // namespace

TlsContext::TlsContext() : impl_(std::make_unique<Impl>()) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::ForClient(const TlsClientOptions& options) {
  std::shared_ptr<TlsContext> made(new TlsContext());
  Impl& impl = *made->impl_;
  impl.context.reset(SSL_CTX_new(TLS_client_method()));
  impl.is_client = true;
  impl.verifies = !options.insecure_skip_verify;
  impl.server_name = options.server_name;
  SSL_CTX* context = impl.context.get();
  SetUp(context);
  SSL_CTX_set_alpn_protos(context, kHttp2Or11.data(), kHttp2Or11.size());
  if (!options.certificate_pem.empty() || !options.key_pem.empty()) {
    BERTH_CHECK_OK(UseCertificate(context, options.certificate_pem, options.key_pem));
  }
  if (impl.verifies) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    if (options.ca_pem.empty()) {
      SSL_CTX_set_default_verify_paths(context);
    } else {
      BERTH_CHECK_OK(Trust(SSL_CTX_get_cert_store(context), options.ca_pem));
    }
  }
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_set_app_data(context, &impl.session);
  SSL_CTX_sess_set_new_cb(context, KeepSession);
  return made;
}

namespace {

// `ca_pem` may be empty; then nobody is believed.
Result<void> AskForClientsOf(SSL_CTX* context, OwnedStore& roots, const std::string& ca_pem) {
  roots.reset(X509_STORE_new());
  if (ca_pem.empty()) return {};
  BERTH_CHECK_OK(Trust(roots.get(), ca_pem));
  for (const OwnedCertificate& certificate : BERTH_TRY(ParseCertificates(ca_pem))) {
    SSL_CTX_add_client_CA(context, certificate.get());
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::ForServer(const TlsServerOptions& options) {
  std::shared_ptr<TlsContext> made(new TlsContext());
  Impl& impl = *made->impl_;
  impl.context.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* context = impl.context.get();
  SetUp(context);
  SSL_CTX_set_min_proto_version(context, BERTH_TRY(VersionOf(options.min_version)));
  BERTH_CHECK_OK(UseCiphers(context, options.cipher_suites));
  BERTH_CHECK_OK(UseCertificate(context, options.certificate_pem, options.key_pem));
  SSL_CTX_set_alpn_select_cb(context, ChooseHttp11, nullptr);
  if (options.request_client_certificate) {
    // A resumed session would carry the verdict of an older bundle.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, AcceptAnyCertificate);
    SSL_CTX_set_max_cert_list(context, kClientCertificatesMax);
    BERTH_CHECK_OK(AskForClientsOf(context, impl.client_roots, options.client_ca_pem));
    BERTH_CHECK_OK(AskForClientsOf(context, impl.front_proxy_roots, options.front_proxy_ca_pem));
  }
  return made;
}

namespace {

// Sends the name, and has it checked as Go checks it: only the alternative names of a certificate count.
bool ExpectName(SSL* connection, const std::string& name, bool verifies) {
  X509_VERIFY_PARAM* const expected = SSL_get0_param(connection);
  X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  // OpenSSL takes an empty name for none at all.
  if (name.empty()) return !verifies;
  if (IsHostAddress(name)) return !verifies || X509_VERIFY_PARAM_set1_ip_asc(expected, name.c_str()) == 1;
  if (SSL_set_tlsext_host_name(connection, name.c_str()) != 1) return false;
  return !verifies || X509_VERIFY_PARAM_set1_host(expected, name.data(), name.size()) == 1;
}

}  // namespace

SSL* TlsContext::NewConnection(const std::string& host) const {
  OwnedConnection connection(SSL_new(impl_->context.get()));
  if (connection == nullptr) return nullptr;
  if (!impl_->is_client) {
    SSL_set_accept_state(connection.get());
    return connection.release();
  }
  SSL_set_connect_state(connection.get());
  const bool is_named =
      ExpectName(connection.get(), impl_->server_name.empty() ? host : impl_->server_name, impl_->verifies);
  ERR_clear_error();
  if (!is_named) return nullptr;
  if (impl_->session) SSL_set_session(connection.get(), impl_->session.get());
  return connection.release();
}

std::unique_ptr<PeerCertificate> TlsContext::PeerOf(SSL* connection) const {
  const OwnedCertificate certificate(SSL_get1_peer_certificate(connection));
  if (!certificate || !impl_->client_roots) return nullptr;
  auto peer = std::make_unique<PeerCertificate>();
  const Subject subject = SubjectOf(certificate.get());
  peer->common_name = subject.common_name;
  peer->organizations = subject.organizations;
  peer->fingerprint = FingerprintOf(certificate.get());
  STACK_OF(X509)* const chain = SSL_get_peer_cert_chain(connection);
  peer->error = VerifyClient(certificate.get(), chain, impl_->client_roots.get());
  peer->front_proxy_error = VerifyClient(certificate.get(), chain, impl_->front_proxy_roots.get());
  return peer;
}

Result<void> CheckCertificates(std::string_view pem) {
  BERTH_TRY(ParseCertificates(pem));
  return {};
}

std::string HandshakeError(SSL* connection) {
  const long verdict = SSL_get_verify_result(connection);
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED && verdict != X509_V_OK) {
    return "tls: failed to verify certificate: " + VerificationError(verdict);
  }
  if (ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER || ERR_GET_REASON(code) == SSL_R_HTTP_REQUEST) {
    return "tls: first record does not look like a TLS handshake";
  }
  if (code == 0) return "EOF";
  constexpr int kAlerts = SSL_AD_REASON_OFFSET;  // Reasons from here on are alerts that the peer sent.
  if (ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) >= kAlerts) {
    return fmt::format("remote error: tls: {}", SSL_alert_desc_string_long(ERR_GET_REASON(code) - kAlerts));
  }
  const char* reason = ERR_reason_error_string(code);
  return fmt::format("tls: {}", reason == nullptr ? "handshake failure" : reason);
}

}  // namespace berth::net
