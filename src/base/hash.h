// SPDX-License-Identifier: Apache-2.0
// Hashes that are the same on every platform and in every run. Not for secrets.

#pragma once

#include <cstdint>
#include <string_view>

namespace berth {

// Spreads every bit over all of them (the finalizer of splitmix64).
constexpr uint64_t MixHash(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}

// Of the text and its length, begun with `seed` (FNV-1a).
constexpr uint64_t HashBytes(std::string_view text, uint64_t seed = 0) {
  uint64_t hash = MixHash(seed ^ 0xCBF29CE484222325U) ^ text.size();
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3U;
  return hash;
}

}  // namespace berth
