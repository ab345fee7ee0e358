// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <algorithm>
#include <cstdint>

namespace berth {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out += k <= count ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string compact;
  std::ranges::copy_if(text, std::back_inserter(compact), [](char c) { return c != '\n' && c != '\r'; });
  if (compact.size() % 4 != 0) return std::nullopt;
  size_t padding = 0;
  while (padding < 2 && compact.ends_with('=')) {
    compact.pop_back();
    ++padding;
  }

  std::string out;
  uint32_t group = 0;
  uint32_t bits = 0;
  for (const char c : compact) {
    const size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    group = group << 6 | static_cast<uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 0xff);
  }
  return out;
}

}  // namespace berth
