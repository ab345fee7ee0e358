// SPDX-License-Identifier: Apache-2.0
// Certificates made here: for a server that was given none, and for tests.
//
// Thread: any. Cost: an RSA key takes about 100 ms, an ECDSA key less than one.

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace berth::net {

struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;
};

struct CertificateOptions {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> names;  // Host names and IP addresses it is valid for.
  bool is_ca = false;
  bool rsa = false;  // Instead of ECDSA.
  Duration validity = Seconds(int64_t{365} * 24 * 3600);
};

// Signed by `issuer`, or by itself if that is null.
Result<KeyPair> MakeCertificate(const CertificateOptions& options, Time now, const KeyPair* issuer = nullptr);

// Valid for localhost, 127.0.0.1 and `names`.
Result<KeyPair> MakeSelfSigned(const std::string& common_name, std::vector<std::string> names, Time now);

}  // namespace berth::net
