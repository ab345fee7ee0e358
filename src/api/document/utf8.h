// SPDX-License-Identifier: Apache-2.0
// DecodeUtf8: reads one character of text that may not be valid UTF-8.
//
// Overlong forms, surrogates and code points above U+10FFFF are invalid.

#pragma once

#include <cstddef>
#include <string_view>

namespace berth::api {

struct Utf8Char {
  char32_t code_point = 0;
  size_t size = 1;  // Bytes to advance; 1 when invalid.
  bool valid = false;
};

// The first character of `text`.
// REQUIRES: `text` is not empty.
inline Utf8Char DecodeUtf8(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  char32_t c = lead & (0xFFU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) return {};
    c = (c << 6) | (byte & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < kSmallest[size] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return {};
  return {c, size, true};
}

}  // namespace berth::api
