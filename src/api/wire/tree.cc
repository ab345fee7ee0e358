// SPDX-License-Identifier: Apache-2.0
#include "api/wire/tree.h"

#include <cstdint>
#include <cstring>

#include "api/document/utf8.h"

namespace berth::api::wire {
namespace {

// How many bytes at the front are surely ASCII; eight are looked at together.
size_t AsciiPrefix(std::string_view text) {
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080U) != 0) return at;
  }
  return at;
}

// Where the first wrong byte is, or the end.
size_t ValidPrefix(std::string_view text) {
  size_t at = AsciiPrefix(text);
  while (at < text.size()) {
    const Utf8Char c = DecodeUtf8(text.substr(at));
    if (!c.valid) break;
    at += c.size;
  }
  return at;
}

}  // namespace

std::string_view AsUtf8(std::string_view text, std::string& scratch) {
  size_t valid = ValidPrefix(text);
  if (valid == text.size()) return text;
  scratch.clear();
  while (valid < text.size()) {
    scratch.append(text.substr(0, valid)).append("\uFFFD");
    text.remove_prefix(valid + 1);
    valid = ValidPrefix(text);
  }
  return scratch.append(text);
}

bool Copy(Value value, DocumentBuilder& builder) {
  if (!value.is_list() && !value.is_map()) {
    builder.Scalar(value.kind(), value.text());
    return true;
  }
  if (builder.depth() == DocumentBuilder::kDepthMax) return false;
  builder.Begin(value.kind());
  for (size_t i = 0; i < value.size(); ++i) {
    if (value.is_map()) builder.Key(value.key(i));
    if (!Copy(value[i], builder)) return false;
  }
  builder.End();
  return true;
}

}  // namespace berth::api::wire
