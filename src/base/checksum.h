// SPDX-License-Identifier: Apache-2.0
// Checksums: CRC-32C against damage, FNV-1a as a digest of what happened. Neither protects against intent.

#pragma once

#include <cstdint>
#include <string_view>

namespace berth {

// The CRC-32C (Castagnoli) of `bytes`; `before` is that of the bytes in front of them.
uint32_t Crc32c(std::string_view bytes, uint32_t before = 0);

// The 64-bit FNV-1a hash of `bytes`.
uint64_t Fnv1a(std::string_view bytes);

}  // namespace berth
