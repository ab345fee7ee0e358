// SPDX-License-Identifier: Apache-2.0
#include "server/rest/digest.h"

#include <fmt/format.h>

#include <iterator>

#include "base/base64.h"
#include "net/sha256.h"

namespace berth::server {

std::string HexDigest(std::string_view text) {
  std::string hex;
  for (const unsigned char byte : net::Sha256(text)) fmt::format_to(std::back_inserter(hex), "{:02X}", byte);
  return hex;
}

std::string ShortDigest(std::string_view text) {
  const auto digest = net::Sha256(text);
  return EncodeBase64({reinterpret_cast<const char*>(digest.data()), 8});
}

}  // namespace berth::server
