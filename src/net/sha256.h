// SPDX-License-Identifier: Apache-2.0
// The SHA-256 digest of bytes, also under a key.

#pragma once

#include <array>
#include <string_view>

namespace berth::net {

std::array<unsigned char, 32> Sha256(std::string_view bytes);
// HMAC: nobody without the key can make it.
std::array<unsigned char, 32> Sha256Under(std::string_view key, std::string_view bytes);

}  // namespace berth::net
