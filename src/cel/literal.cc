// SPDX-License-Identifier: Apache-2.0
#include "cel/literal.h"

#include <charconv>
#include <optional>

#include "cel/text.h"

namespace berth::cel {
namespace {

std::string WithPlainLineEnds(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (text.substr(i, 2) != "\r\n") {
      out += '\n';
    }
  }
  return out;
}

std::optional<char> SimpleEscape(char c) {
  constexpr std::string_view kNames = "abfnrtv\\'\"`?";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"`?";
  const size_t at = kNames.find(c);
  return at == kNames.npos ? std::nullopt : std::optional(kMeanings[at]);
}

// Appends what the escape at the front of the text means, and takes it off. The lexer has seen that it is complete.
Result<void> TakeEscape(std::string_view& text, bool is_bytes, std::string& out) {
  const char c = text[1];
  if (const std::optional<char> simple = SimpleEscape(c)) {
    out += *simple;
    text.remove_prefix(2);
    return {};
  }
  const bool is_octal = c >= '0' && c <= '3';
  const size_t begin = is_octal ? 1 : 2;
  const size_t digits = is_octal ? 3 : c == 'u' ? 4 : c == 'U' ? 8 : 2;
  if (is_bytes && digits >= 4) return Invalid("unable to unescape string");
  uint32_t code = 0;
  std::from_chars(text.data() + begin, text.data() + begin + digits, code, is_octal ? 8 : 16);
  if (is_bytes) {
    out += static_cast<char>(code);
  } else {
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return Invalid("invalid unicode code point");
    AppendCharacter(out, code);
  }
  text.remove_prefix(begin + digits);
  return {};
}

}  // namespace

Result<std::string> Unquote(std::string_view literal, bool is_bytes) {
  const std::string normalized = WithPlainLineEnds(literal);
  std::string_view text = normalized;
  const bool is_raw = text[0] == 'r' || text[0] == 'R';
  if (is_raw) text.remove_prefix(1);
  const size_t quotes = text.size() >= 6 && (text.starts_with("'''") || text.starts_with("\"\"\"")) ? 3 : 1;
  text = text.substr(quotes, text.size() - 2 * quotes);
  if (is_raw) return std::string(text);
  std::string out;
  while (!text.empty()) {
    if (text[0] == '\\') {
      BERTH_CHECK_OK(TakeEscape(text, is_bytes, out));
    } else {
      out += text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace berth::cel
