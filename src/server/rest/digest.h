// SPDX-License-Identifier: Apache-2.0
// Digests by which clients recognise documents that they already have.

#pragma once

#include <string>
#include <string_view>

namespace berth::server {

// SHA-256 in upper-case hexadecimal.
std::string HexDigest(std::string_view text);

// The first eight bytes of SHA-256 as base64.
std::string ShortDigest(std::string_view text);

}  // namespace berth::server
