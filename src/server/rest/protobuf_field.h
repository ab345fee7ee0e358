// SPDX-License-Identifier: Apache-2.0
// The parts that protobuf messages are made of, for messages that the wire table does not know.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::server {

inline void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// A field of bytes: a text or a message.
inline void AppendField(std::string& out, uint32_t number, std::string_view bytes) {
  AppendVarint(out, number << 3 | 2);
  AppendVarint(out, bytes.size());
  out += bytes;
}

inline void AppendIntField(std::string& out, uint32_t number, uint64_t value) {
  AppendVarint(out, number << 3);
  AppendVarint(out, value);
}

}  // namespace berth::server
