// SPDX-License-Identifier: Apache-2.0
#include "net/self_signed.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <array>
#include <utility>

#include "net/address.h"
#include "net/x509.h"

namespace berth::net {
namespace {

void AddName(X509_NAME* name, const char* kind, const std::string& value) {
  X509_NAME_add_entry_by_txt(name, kind, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                             static_cast<int>(value.size()), -1, 0);
}

bool AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  const bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

Result<std::string> AlternativeNames(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    // OpenSSL reads the list from a text in which these separate.
    if (name.empty() || name.find_first_of(",\n\r ") != std::string::npos)
      return Invalid(fmt::format("invalid host name \"{}\"", name));
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", IsHostAddress(name) ? "IP" : "DNS", name);
  }
  return list;
}

Result<void> AddExtensions(X509* certificate, X509* issuer, const CertificateOptions& options,
                           const std::string& names) {
  bool added = AddExtension(certificate, issuer, NID_basic_constraints,
                            options.is_ca ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
               AddExtension(certificate, issuer, NID_key_usage,
                            options.is_ca ? "critical,digitalSignature,keyEncipherment,keyCertSign"
                                          : "critical,digitalSignature,keyEncipherment");
  if (!options.is_ca) added = added && AddExtension(certificate, issuer, NID_ext_key_usage, "serverAuth,clientAuth");
  if (!names.empty()) added = added && AddExtension(certificate, issuer, NID_subject_alt_name, names);
  if (!added) return Fail(Code::kInternal, "cannot make a certificate");
  return {};
}

void SetSerial(X509* certificate) {
  BIGNUM* number = BN_new();
  BN_rand(number, 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
  BN_free(number);
}

void SetValidity(X509* certificate, const CertificateOptions& options, Time now) {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t start = now.nanos / kSecond;
  ASN1_TIME_set(X509_getm_notBefore(certificate), static_cast<time_t>(start - 3600));  // For clocks that are behind.
  ASN1_TIME_set(X509_getm_notAfter(certificate), static_cast<time_t>(start + options.validity.nanos / kSecond));
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

Result<KeyPair> Print(X509* certificate, EVP_PKEY* key) {
  const OwnedBio certificate_text(BIO_new(BIO_s_mem()));
  const OwnedBio key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return Fail(Code::kInternal, "cannot print a certificate");
  }
  return KeyPair{TextOf(certificate_text.get()), TextOf(key_text.get())};
}

}  // namespace

Result<KeyPair> MakeCertificate(const CertificateOptions& options, Time now, const KeyPair* issuer) {
  const std::string names = BERTH_TRY(AlternativeNames(options.names));
  const OwnedKey key(options.rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256"));
  const OwnedCertificate certificate(X509_new());
  if (!key || !certificate) return Fail(Code::kInternal, "cannot make a key");
  OwnedCertificate issuer_certificate;
  OwnedKey issuer_key;
  if (issuer != nullptr) {
    issuer_certificate = std::move(BERTH_TRY(ParseCertificates(issuer->certificate_pem)).front());
    issuer_key = BERTH_TRY(ParseKey(issuer->key_pem));
  }
  X509* signer = issuer_certificate ? issuer_certificate.get() : certificate.get();

  X509_set_version(certificate.get(), 2);  // Counted from 0: version 3.
  SetSerial(certificate.get());
  SetValidity(certificate.get(), options, now);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  for (const std::string& organization : options.organizations) AddName(name, "O", organization);
  AddName(name, "CN", options.common_name);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer));
  BERTH_CHECK_OK(AddExtensions(certificate.get(), signer, options, names));
  if (X509_sign(certificate.get(), issuer_key ? issuer_key.get() : key.get(), EVP_sha256()) == 0) {
    ERR_clear_error();
    return Fail(Code::kInternal, "cannot sign a certificate");
  }
  return Print(certificate.get(), key.get());
}

Result<KeyPair> MakeSelfSigned(const std::string& common_name, std::vector<std::string> names, Time now) {
  names.insert(names.begin(), {"localhost", "127.0.0.1"});
  CertificateOptions options;
  options.common_name = common_name;
  options.names = std::move(names);
  options.is_ca = true;  // So that a client can be told to trust just it.
  return MakeCertificate(options, now);
}

}  // namespace berth::net
