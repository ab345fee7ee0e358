// SPDX-License-Identifier: Apache-2.0
#include "cel/lexer.h"

#include <algorithm>
#include <optional>

#include "api/document/utf8.h"
#include "base/ascii.h"

namespace berth::cel {
namespace {

bool IsOctalDigit(char c) { return c >= '0' && c <= '7'; }

// The length of the escape sequence that begins with the backslash; 0 if it is none.
size_t EscapeLength(std::string_view text) {
  if (text.size() < 2) return 0;
  const auto digits = [text](size_t count, bool (*is_digit)(char)) -> size_t {
    if (text.size() < 2 + count) return 0;
    return std::ranges::all_of(text.substr(2, count), is_digit) ? 2 + count : 0;
  };
  switch (text[1]) {
    case 'x':
    case 'X': return digits(2, IsHexDigit);
    case 'u': return digits(4, IsHexDigit);
    case 'U': return digits(8, IsHexDigit);
    case '0':
    case '1':
    case '2':
    case '3': return digits(2, IsOctalDigit);
    default: return std::string_view("abfnrtv\"'\\?`").find(text[1]) != std::string_view::npos ? 2 : 0;
  }
}

// The length of a string between the given quotes; 0 if it does not end.
size_t QuotedLength(std::string_view text, std::string_view quote, bool is_raw) {
  size_t i = quote.size();
  while (i < text.size()) {
    if (text.substr(i).starts_with(quote)) return i + quote.size();
    if (quote.size() == 1 && (text[i] == '\n' || text[i] == '\r')) return 0;
    size_t length = 1;
    if (text[i] == '\\' && !is_raw) {
      length = EscapeLength(text.substr(i));
      if (length == 0) return 0;
    }
    i += length;
  }
  return 0;
}

// The length of a string literal with its prefix; 0 if there is none.
size_t StringLength(std::string_view text) {
  const bool is_raw = !text.empty() && Lower(text[0]) == 'r';
  const size_t prefix = is_raw ? 1 : 0;
  const std::string_view rest = text.substr(prefix);
  for (const std::string_view quote : {"\"\"\"", "'''", "\"", "'"}) {
    if (!rest.starts_with(quote)) continue;
    if (const size_t length = QuotedLength(rest, quote, is_raw)) return prefix + length;
  }
  return 0;
}

struct Number {
  TokenKind kind;
  size_t length;
};

std::optional<Number> ReadNumber(std::string_view text) {
  if (text.starts_with("0x") && text.size() > 2 && IsHexDigit(text[2])) {
    size_t end = 2;
    while (end < text.size() && IsHexDigit(text[end])) ++end;
    if (end < text.size() && Lower(text[end]) == 'u') return Number{TokenKind::kUint, end + 1};
    return Number{TokenKind::kInt, end};
  }
  const size_t whole = SkipDigits(text, 0);
  size_t end = whole;
  bool is_double = false;
  if (end + 1 < text.size() && text[end] == '.' && IsDigit(text[end + 1])) {
    is_double = true;
    end = SkipDigits(text, end + 1);
  }
  if (end == 0) return std::nullopt;
  if (end < text.size() && Lower(text[end]) == 'e') {
    size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (exponent < text.size() && IsDigit(text[exponent]))
      return Number{TokenKind::kDouble, SkipDigits(text, exponent)};
  }
  if (is_double) return Number{TokenKind::kDouble, end};
  if (end < text.size() && Lower(text[end]) == 'u') return Number{TokenKind::kUint, end + 1};
  return Number{TokenKind::kInt, end};
}

size_t EscapedIdentifierLength(std::string_view text) {
  size_t end = 1;
  while (end < text.size() &&
         (IsAlphanumeric(text[end]) || std::string_view("_.-/ ").find(text[end]) != std::string_view::npos))
    ++end;
  return end > 1 && end < text.size() && text[end] == '`' ? end + 1 : 0;
}

bool IsSymbolWord(std::string_view word) { return word == "true" || word == "false" || word == "null" || word == "in"; }

}  // namespace

void Lexer::SkipSpace() {
  while (position_ < text_.size()) {
    if (std::string_view("\t \r\n\f").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    } else if (text_.substr(position_).starts_with("//")) {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else {
      return;
    }
  }
}

Token Lexer::Next() {
  SkipSpace();
  const std::string_view rest = text_.substr(position_);
  const auto take = [this, rest](TokenKind kind, size_t length) {
    const Token token{kind, static_cast<Offset>(position_), rest.substr(0, length)};
    position_ += length;
    return token;
  };
  if (rest.empty()) return take(TokenKind::kEnd, 0);
  if (const std::optional<Number> number = ReadNumber(rest)) return take(number->kind, number->length);
  if (const size_t length = StringLength(rest)) return take(TokenKind::kString, length);
  if (Lower(rest[0]) == 'b') {
    if (const size_t length = StringLength(rest.substr(1))) return take(TokenKind::kBytes, length + 1);
  }
  if (IsLetter(rest[0]) || rest[0] == '_') {
    size_t end = 1;
    while (end < rest.size() && (IsAlphanumeric(rest[end]) || rest[end] == '_')) ++end;
    return take(IsSymbolWord(rest.substr(0, end)) ? TokenKind::kSymbol : TokenKind::kIdentifier, end);
  }
  if (rest[0] == '`') {
    if (const size_t length = EscapedIdentifierLength(rest)) return take(TokenKind::kEscapedIdentifier, length);
  }
  for (const std::string_view symbol : {"==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}",
                                        "(",  ")",  ".",  ",",  "-",  "!",  "?", ":", "+", "*", "/", "%"}) {
    if (rest.starts_with(symbol)) return take(TokenKind::kSymbol, symbol.size());
  }
  return take(TokenKind::kError, api::DecodeUtf8(rest).size);
}

}  // namespace berth::cel
