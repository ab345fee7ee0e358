// SPDX-License-Identifier: Apache-2.0
// X.509 certificates and keys as OpenSSL objects with owners, for the files of this module.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Of OpenSSL.
struct bio_st;
struct evp_pkey_st;
struct ssl_ctx_st;
struct ssl_session_st;
struct ssl_st;
struct stack_st_X509;
struct x509_st;
struct x509_store_st;

namespace berth::net {

struct FreeOpenSsl {
  void operator()(bio_st* object) const;
  void operator()(evp_pkey_st* object) const;
  void operator()(ssl_ctx_st* object) const;
  void operator()(ssl_session_st* object) const;
  void operator()(ssl_st* object) const;
  void operator()(x509_st* object) const;
  void operator()(x509_store_st* object) const;
};
using OwnedBio = std::unique_ptr<bio_st, FreeOpenSsl>;
using OwnedKey = std::unique_ptr<evp_pkey_st, FreeOpenSsl>;
using OwnedContext = std::unique_ptr<ssl_ctx_st, FreeOpenSsl>;
using OwnedConnection = std::unique_ptr<ssl_st, FreeOpenSsl>;
using OwnedSession = std::unique_ptr<ssl_session_st, FreeOpenSsl>;
using OwnedCertificate = std::unique_ptr<x509_st, FreeOpenSsl>;
using OwnedStore = std::unique_ptr<x509_store_st, FreeOpenSsl>;

// All certificates of a PEM text; at least one.
Result<std::vector<OwnedCertificate>> ParseCertificates(std::string_view pem);
Result<OwnedKey> ParseKey(std::string_view pem);

struct Subject {
  std::string common_name;
  std::vector<std::string> organizations;
};
Subject SubjectOf(x509_st* certificate);
// The SHA-256 digest of the certificate in hexadecimal digits.
std::string FingerprintOf(x509_st* certificate);

// Why a client's certificate does not lead to one of `roots`; empty: it does.
std::string VerifyClient(x509_st* certificate, stack_st_X509* intermediates, x509_store_st* roots);

// The words for a verdict of OpenSSL, Go's where it has some.
std::string VerificationError(long verdict);

}  // namespace berth::net
