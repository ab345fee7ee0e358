// SPDX-License-Identifier: Apache-2.0
#include "base/uuid.h"

#include <fmt/format.h>

namespace berth {

std::string MakeUuid(uint64_t high, uint64_t low) {
  high = (high & ~uint64_t{0xf000}) | 0x4000;                // Version 4,
  low = (low & ~(uint64_t{3} << 62)) | (uint64_t{1} << 63);  // of the usual variant.
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff, high & 0xffff, low >> 48,
                     low & 0xffff'ffff'ffff);
}

}  // namespace berth
