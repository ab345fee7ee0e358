// SPDX-License-Identifier: Apache-2.0
#include "api/typed/go_base64.h"

#include <fmt/format.h>

#include <optional>

#include "base/base64.h"

namespace berth::api {
namespace {

// Where Go's decoder stops to read `text` as base64; nothing if it does not.
std::optional<size_t> ErrorAt(std::string_view text) {
  size_t group = 0;  // Where the current group of four begins.
  size_t count = 0;  // Of its characters.
  size_t pads = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\r') continue;
    if (count == 4 && pads > 0) return i;
    if (count == 4) count = 0;
    if (count == 0) group = i;
    const bool is_letter =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    if (c == '=' ? count < 2 : !is_letter) return i;
    if (c != '=' && pads > 0) return i - 1;
    if (c == '=') ++pads;
    ++count;
  }
  if (count == 0 || count == 4) return std::nullopt;
  return pads > 0 ? text.size() : group;
}

}  // namespace

Result<std::string> DecodeGoBase64(std::string_view text) {
  std::optional<std::string> bytes = DecodeBase64(text);
  if (bytes) return *std::move(bytes);
  return Invalid(fmt::format("illegal base64 data at input byte {}", ErrorAt(text).value_or(0)));
}

}  // namespace berth::api
