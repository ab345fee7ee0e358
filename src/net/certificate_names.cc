// SPDX-License-Identifier: Apache-2.0
#include "net/certificate_names.h"

#include <arpa/inet.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>

#include "net/x509.h"

namespace berth::net {
namespace {

struct FreeNames {
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};

// Empty for what is neither a host name nor an address.
std::string TextOf(const GENERAL_NAME& name) {
  if (name.type != GEN_DNS && name.type != GEN_IPADD) return {};
  const ASN1_STRING* value = name.type == GEN_DNS ? name.d.dNSName : name.d.iPAddress;
  const unsigned char* data = ASN1_STRING_get0_data(value);
  const int size = ASN1_STRING_length(value);
  if (name.type == GEN_DNS) return {reinterpret_cast<const char*>(data), static_cast<size_t>(size)};
  if (size != 4 && size != 16) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(size == 4 ? AF_INET : AF_INET6, data, text.data(), text.size());
  return text.data();
}

}  // namespace

Result<std::vector<std::string>> CertificateNames(std::string_view pem) {
  const std::vector<OwnedCertificate> certificates = BERTH_TRY(ParseCertificates(pem));
  const std::unique_ptr<GENERAL_NAMES, FreeNames> listed(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificates.front().get(), NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> names;
  if (!listed) return names;
  for (int i = 0; i < sk_GENERAL_NAME_num(listed.get()); ++i) {
    if (std::string name = TextOf(*sk_GENERAL_NAME_value(listed.get(), i)); !name.empty()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace berth::net
