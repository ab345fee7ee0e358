// SPDX-License-Identifier: Apache-2.0
#include "net/x509.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <climits>
#include <utility>

namespace berth::net {
namespace {

Result<OwnedBio> BioOf(std::string_view text) {
  if (text.size() > INT_MAX) return Invalid("tls: the PEM text is too large");
  return OwnedBio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::vector<std::string> EntriesOf(X509_NAME* name, int kind) {
  std::vector<std::string> entries;
  for (int i = X509_NAME_get_index_by_NID(name, kind, -1); i >= 0; i = X509_NAME_get_index_by_NID(name, kind, i)) {
    unsigned char* text = nullptr;
    const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, i)));
    if (size < 0) continue;
    entries.emplace_back(reinterpret_cast<const char*>(text), static_cast<size_t>(size));
    OPENSSL_free(text);
  }
  return entries;
}

// A key with a passphrase is refused instead of asking at the terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

}  // namespace

void FreeOpenSsl::operator()(BIO* object) const { BIO_free(object); }
void FreeOpenSsl::operator()(EVP_PKEY* object) const { EVP_PKEY_free(object); }
void FreeOpenSsl::operator()(SSL_CTX* object) const { SSL_CTX_free(object); }
void FreeOpenSsl::operator()(SSL* object) const { SSL_free(object); }
void FreeOpenSsl::operator()(SSL_SESSION* object) const { SSL_SESSION_free(object); }
void FreeOpenSsl::operator()(X509* object) const { X509_free(object); }
void FreeOpenSsl::operator()(X509_STORE* object) const { X509_STORE_free(object); }

Result<std::vector<OwnedCertificate>> ParseCertificates(std::string_view pem) {
  const OwnedBio bio = BERTH_TRY(BioOf(pem));
  std::vector<OwnedCertificate> certificates;
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr)) {
    certificates.emplace_back(certificate);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (certificates.empty() && at_end) return Invalid("tls: failed to find any PEM data in certificate input");
  if (!at_end) return Invalid("tls: failed to parse the PEM certificates");
  return certificates;
}

Result<OwnedKey> ParseKey(std::string_view pem) {
  const OwnedBio bio = BERTH_TRY(BioOf(pem));
  OwnedKey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!key && at_end) return Invalid("tls: failed to find any PEM data in key input");
  if (!key) return Invalid("tls: failed to parse the PEM private key");
  return key;
}

Subject SubjectOf(X509* certificate) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const std::vector<std::string> names = EntriesOf(name, NID_commonName);
  return {names.empty() ? "" : names.back(), EntriesOf(name, NID_organizationName)};
}

std::string FingerprintOf(X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  std::string digits;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return digits;
  for (unsigned i = 0; i < size; ++i) digits += fmt::format("{:02x}", digest[i]);
  return digits;
}

std::string VerifyClient(X509* certificate, STACK_OF(X509) * intermediates, X509_STORE* roots) {
  X509_STORE_CTX* check = X509_STORE_CTX_new();
  std::string error;
  if (check == nullptr || X509_STORE_CTX_init(check, roots, certificate, intermediates) != 1) {
    error = "x509: out of memory";
  } else {
    X509_STORE_CTX_set_default(check, "ssl_client");
    if (X509_verify_cert(check) != 1) error = VerificationError(X509_STORE_CTX_get_error(check));
  }
  X509_STORE_CTX_free(check);
  ERR_clear_error();
  return error;
}

std::string VerificationError(long verdict) {
  switch (verdict) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE: return "x509: certificate signed by unknown authority";
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_CERT_HAS_EXPIRED: return "x509: certificate has expired or is not yet valid";
    case X509_V_ERR_INVALID_PURPOSE: return "x509: certificate specifies an incompatible key usage";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return "x509: certificate is not valid for the name of the server";
    default: return fmt::format("x509: {}", X509_verify_cert_error_string(verdict));
  }
}

}  // namespace berth::net
