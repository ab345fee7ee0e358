// SPDX-License-Identifier: Apache-2.0
// Characters of UTF-8 texts.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/document/utf8.h"

namespace berth::cel {

inline void AppendCharacter(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Where in the text the character of that number begins; its end for the number of characters.
// REQUIRES: the text has that many characters.
inline size_t CharacterOffset(std::string_view text, uint64_t number) {
  size_t offset = 0;
  for (; number > 0; --number) offset += api::DecodeUtf8(text.substr(offset)).size;
  return offset;
}

}  // namespace berth::cel
