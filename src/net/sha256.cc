// SPDX-License-Identifier: Apache-2.0
#include "net/sha256.h"

#include <openssl/hmac.h>
#include <openssl/sha.h>

namespace berth::net {

std::array<unsigned char, 32> Sha256(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

std::array<unsigned char, 32> Sha256Under(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(bytes.data()),
       bytes.size(), digest.data(), nullptr);
  return digest;
}

}  // namespace berth::net
