// SPDX-License-Identifier: Apache-2.0
// Selectors as they stand in a query.

#include <algorithm>
#include <optional>

#include "api/document/field_error.h"
#include "api/parts/requirement.h"
#include "base/error_counts.h"
#include "server/rest/selection.h"

namespace berth::server {
namespace {

enum class Token : uint8_t { kIdentifier, kEnd, kComma, kOpen, kClose, kNot, kEqual, kNotEqual, kGreater, kLess, kBad };

struct Lexeme {
  Token token = Token::kEnd;
  std::string text;
};

constexpr std::string_view kSymbols = "=!(),><";
constexpr std::string_view kSpace = " \t\r\n";

Token SymbolToken(std::string_view text) {
  if (text == "=" || text == "==") return Token::kEqual;
  if (text == "!=") return Token::kNotEqual;
  if (text == "!") return Token::kNot;
  if (text == "(") return Token::kOpen;
  if (text == ")") return Token::kClose;
  if (text == ",") return Token::kComma;
  if (text == ">") return Token::kGreater;
  if (text == "<") return Token::kLess;
  return Token::kBad;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Lexeme Peek() {
    Scanner ahead(*this);
    return ahead.Next();
  }

  Lexeme Next() {
    at_ = std::min(text_.find_first_not_of(kSpace, at_), text_.size());
    if (at_ == text_.size()) return {};
    return kSymbols.contains(text_[at_]) ? Symbol() : Identifier();
  }

 private:
  // The longest symbol there is.
  Lexeme Symbol() {
    const size_t size = SymbolToken(text_.substr(at_, 2)) != Token::kBad && text_.size() - at_ > 1 ? 2 : 1;
    const std::string_view symbol = text_.substr(at_, size);
    at_ += size;
    return {.token = SymbolToken(symbol), .text = std::string(symbol)};
  }

  Lexeme Identifier() {
    const size_t begin = at_;
    while (at_ < text_.size() && !kSymbols.contains(text_[at_]) && !kSpace.contains(text_[at_])) ++at_;
    return {.token = Token::kIdentifier, .text = std::string(text_.substr(begin, at_ - begin))};
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::unexpected<Error> Unexpected(const Lexeme& found, std::string_view expected) {
  return Invalid("found '" + found.text + "', expected: " + std::string(expected));
}

class LabelSelectorParser {
 public:
  explicit LabelSelectorParser(std::string_view text) : scanner_(text) {}

  Result<api::Selector> Parse() {
    std::vector<api::Selector::Requirement> requirements = BERTH_TRY(ParseRequirements());
    // In the order in which the selector keeps them: none has to make room for another.
    std::ranges::stable_sort(requirements, {}, &api::Selector::Requirement::key);
    api::Selector selector;
    for (api::Selector::Requirement& requirement : requirements) selector.Add(std::move(requirement));
    return selector;
  }

 private:
  using Op = api::Selector::Op;

  Result<std::vector<api::Selector::Requirement>> ParseRequirements() {
    std::vector<api::Selector::Requirement> requirements;
    while (true) {
      const Lexeme first = scanner_.Peek();
      if (first.token == Token::kEnd) return requirements;
      if (first.token != Token::kIdentifier && first.token != Token::kNot) {
        return Unexpected(first, "!, identifier, or 'end of string'");
      }
      Result<api::Selector::Requirement> requirement = ParseRequirement();
      if (!requirement) return Invalid("unable to parse requirement: " + requirement.error().message);
      requirements.push_back(std::move(*requirement));
      const Lexeme behind = scanner_.Next();
      if (behind.token == Token::kEnd) return requirements;
      if (behind.token != Token::kComma) return Unexpected(behind, "',' or 'end of string'");
      const Lexeme next = scanner_.Peek();
      if (next.token != Token::kIdentifier && next.token != Token::kNot) {
        return Unexpected(next, "identifier after ','");
      }
    }
  }

  Result<api::Selector::Requirement> ParseRequirement() {
    Lexeme key = scanner_.Next();
    const bool is_negated = key.token == Token::kNot;
    if (is_negated) key = scanner_.Next();
    if (key.token != Token::kIdentifier) return Unexpected(key, "identifier");
    if (const std::vector<std::string> problems = api::ValidateQualifiedName(key.text); !problems.empty()) {
      std::string all;
      for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
      return Invalid(api::InvalidField("<nil>", key.text, all));
    }
    const Lexeme behind = scanner_.Peek();
    if (is_negated) return Compile(key.text, Op::kDoesNotExist, {});
    if (behind.token == Token::kEnd || behind.token == Token::kComma) return Compile(key.text, Op::kExists, {});
    return ParseOperator(key.text);
  }

  Result<api::Selector::Requirement> ParseOperator(const std::string& key) {
    const Lexeme op = scanner_.Next();
    if (op.token == Token::kIdentifier && (op.text == "in" || op.text == "notin")) {
      std::vector<std::string> values = BERTH_TRY(ParseValues());
      return Compile(key, op.text == "in" ? Op::kIn : Op::kNotIn, std::move(values));
    }
    switch (op.token) {
      case Token::kEqual: return ParseExact(key, Op::kIn);
      case Token::kNotEqual: return ParseExact(key, Op::kNotIn);
      case Token::kGreater: return ParseExact(key, Op::kGt);
      case Token::kLess: return ParseExact(key, Op::kLt);
      default: return Unexpected(op, "in, notin, =, ==, !=, gt, lt");
    }
  }

  Result<api::Selector::Requirement> ParseExact(const std::string& key, Op op) {
    const Lexeme ahead = scanner_.Peek();
    std::string value;
    if (ahead.token != Token::kEnd && ahead.token != Token::kComma) {
      if (ahead.token != Token::kIdentifier) return Unexpected(ahead, "identifier");
      value = scanner_.Next().text;
    }
    api::Selector::Requirement requirement = BERTH_TRY(Compile(key, op, {value}));
    requirement.is_equality = op == Op::kIn;
    return requirement;
  }

  // Values in parentheses; an empty one may be written as nothing.
  Result<std::vector<std::string>> ParseValues() {
    const Lexeme open = scanner_.Next();
    if (open.token != Token::kOpen) return Invalid("found '" + open.text + "' expected: '('");
    std::vector<std::string> values;
    while (true) {
      Lexeme lexeme = scanner_.Next();
      const bool has_value = lexeme.token == Token::kIdentifier;
      values.push_back(has_value ? lexeme.text : std::string());
      if (has_value) lexeme = scanner_.Next();
      if (lexeme.token == Token::kClose) return values;
      if (lexeme.token != Token::kComma) {
        return Unexpected(lexeme, has_value ? "',' or ')'" : "',', ')' or identifier");
      }
    }
  }

  static Result<api::Selector::Requirement> Compile(const std::string& key, Op op, std::vector<std::string> values) {
    std::ranges::sort(values);
    const auto repeated = std::ranges::unique(values);
    values.erase(repeated.begin(), repeated.end());
    std::vector<std::string> errors;
    api::Selector::Requirement requirement =
        api::CompileRequirement({.key = key, .op = {}, .values = std::move(values)}, op, "", errors);
    if (!errors.empty()) return Invalid(JoinErrors(errors));
    return requirement;
  }

  Scanner scanner_;
};

// Splits at commas that no backslash precedes.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i + 1 < text.size() && text[i] == '\\') {
      ++i;
    } else if (i == text.size() || text[i] == ',') {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return terms;
}

// Nothing if an escape or a bare equals sign makes no sense.
std::optional<std::string> Unescape(std::string_view value) {
  std::string plain;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\') {
      if (++i == value.size() || !std::string_view("\\,=").contains(value[i])) return std::nullopt;
    } else if (value[i] == ',' || value[i] == '=') {
      return std::nullopt;
    }
    plain += value[i];
  }
  return plain;
}

}  // namespace

Result<api::Selector> ParseLabelSelector(std::string_view text) { return LabelSelectorParser(text).Parse(); }

Result<std::vector<FieldTerm>> ParseFieldSelector(std::string_view text) {
  std::vector<FieldTerm> terms;
  for (const std::string_view part : SplitTerms(text)) {
    if (part.empty()) continue;
    const auto malformed = [&] {
      return Invalid("invalid selector: '" + std::string(text) + "'; can't understand '" + std::string(part) + "'");
    };
    const size_t at = part.find_first_of("=!");
    if (at == std::string_view::npos) return malformed();
    const std::string_view op = part.substr(at, 2);
    if (part[at] == '!' && op != "!=") return malformed();
    const size_t size = op == "!=" || op == "==" ? 2 : 1;
    const std::optional<std::string> value = Unescape(part.substr(at + size));
    if (!value) return malformed();
    terms.push_back({.path = std::string(part.substr(0, at)), .value = *value, .is_equal = op != "!="});
  }
  return terms;
}

}  // namespace berth::server
