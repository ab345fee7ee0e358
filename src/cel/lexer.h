// SPDX-License-Identifier: Apache-2.0
// Lexer: takes the text of an expression apart into tokens.

#pragma once

#include <string_view>

#include "cel/source.h"

namespace berth::cel {

enum class TokenKind : uint8_t {
  kEnd,
  kError,  // Something that is no token.
  kIdentifier,
  kEscapedIdentifier,  // `a.b`
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kSymbol,  // An operator, a bracket, or one of true, false, null and in.
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Offset offset = 0;
  std::string_view text;

  bool Is(std::string_view symbol) const { return kind == TokenKind::kSymbol && text == symbol; }
};

class Lexer {
 public:
  // The text must outlive the tokens.
  explicit Lexer(std::string_view text) : text_(text) {}

  Token Next();

 private:
  void SkipSpace();

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace berth::cel
