// SPDX-License-Identifier: Apache-2.0
// Tiles: columns of the node table, read for many nodes at once as doubles.
//
// Processors divide doubles several at a time, and integers one after the other. Loops over a tile have a fixed length,
// so that compilers make vectors of them. Everything is exact: a tile with amounts that doubles do not hold is refused,
// and its nodes are judged one by one.

#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace berth::plugins {

// Nodes in a tile.
inline constexpr uint32_t kTile = 64;
using TileOfDoubles = std::array<double, kTile>;

// Reads amounts from `column` on, and adds `more` to each. False if not all of them are at least `least`, which is 0 or
// 1, and so small that doubles hold a hundred times as much.
inline bool ReadTile(const int64_t* __restrict column, int64_t more, uint64_t least, double* __restrict amounts) {
  constexpr uint64_t kLarge = uint64_t{1} << 46;
  constexpr double kBase = 0x1p52;  // Of a double from here on the low bits are an integer.
  uint64_t all = 0;
  for (uint32_t i = 0; i < kTile; ++i) {
    const uint64_t amount = static_cast<uint64_t>(column[i]) + static_cast<uint64_t>(more);
    all |= amount - least;
    amounts[i] = std::bit_cast<double>(amount | std::bit_cast<uint64_t>(kBase)) - kBase;
  }
  return all < kLarge;
}

}  // namespace berth::plugins
