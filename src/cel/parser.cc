// SPDX-License-Identifier: Apache-2.0
#include "cel/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cel/declared_type.h"
#include "cel/lexer.h"
#include "cel/literal.h"
#include "cel/macros.h"
#include "cel/numbers.h"
#include "cel/operations.h"

namespace berth::cel {
namespace {

// Thrown when parsing cannot go on; what is wrong was reported.
struct Stopped {};

constexpr std::pair<std::string_view, std::string_view> kRelations[] = {
    {"<", "_<_"}, {"<=", "_<=_"}, {">=", "_>=_"}, {">", "_>_"}, {"==", "_==_"}, {"!=", "_!=_"}, {"in", "@in"}};

// A part of the tree, and how many operators and accesses are nested in it.
struct Part {
  Expr* expr;
  int height = 0;
};

class Parser {
 public:
  Parser(std::string_view text, Ast& ast, Issues& issues, bool has_bindings)
      : ast_(ast), issues_(issues), has_bindings_(has_bindings) {
    Lexer lexer(text);
    do {
      tokens_.push_back(lexer.Next());
      if (tokens_.back().kind == TokenKind::kError) {
        Stop(tokens_.back().offset, fmt::format("Syntax error: token recognition error at: '{}'", tokens_.back().text));
      }
    } while (tokens_.back().kind != TokenKind::kEnd);
  }

  void Run() {
    const Part part = ParseExpr();
    if (token().kind != TokenKind::kEnd) Unexpected("<EOF>");
    if (part.height > kNestingMax) Stop(kNowhere, "max recursion depth exceeded");
    ast_.root = part.expr;
  }

 private:
  enum Rule { kExpr, kOr, kAnd, kRelation, kCalc, kUnary, kMember, kPrimary, kRules };

  // Counts how deep a rule of the grammar is within itself.
  class Level {
   public:
    Level(Parser& parser, Rule rule) : depth_(parser.depths_[rule]) {
      if (++depth_ > kNestingMax) {
        parser.Stop(kNowhere, fmt::format("expression recursion limit exceeded: {}", kNestingMax));
      }
    }
    Level(const Level&) = delete;
    ~Level() { --depth_; }

   private:
    int& depth_;
  };

  [[noreturn]] void Stop(Offset offset, std::string message) {
    issues_.Report(offset, std::move(message));
    throw Stopped{};
  }
  [[noreturn]] void Unexpected(std::string_view expected) {
    const bool is_end = token().kind == TokenKind::kEnd;
    Stop(token().offset,
         fmt::format("Syntax error: mismatched input '{}' expecting {}", is_end ? "<EOF>" : token().text, expected));
  }

  const Token& token(size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
  Token Take() {
    const Token taken = token();
    if (next_ + 1 < tokens_.size()) ++next_;
    return taken;
  }
  bool Skip(std::string_view symbol) {
    if (!token().Is(symbol)) return false;
    Take();
    return true;
  }
  Token Expect(std::string_view symbol) {
    if (!token().Is(symbol)) Unexpected(fmt::format("'{}'", symbol));
    return Take();
  }

  Expr* New(ExprKind kind, Offset offset) {
    Expr* expr = ast_.New(kind, offset);
    if (expr->id > kNodesMax)
      Stop(kNowhere, fmt::format("expression is too large: it has more than {} parts", kNodesMax));
    return expr;
  }
  Expr* NewLiteral(Offset offset, Value value) {
    Expr* expr = New(ExprKind::kLiteral, offset);
    expr->literal = value;
    return expr;
  }
  Expr* Wrong(Offset offset, std::string message) {
    issues_.Report(offset, std::move(message));
    return New(ExprKind::kError, offset);
  }
  Expr* NewCall(Offset offset, std::string_view function, std::vector<Expr*> args, Expr* target = nullptr) {
    const Expansion expansion =
        function == "bind" && !has_bindings_ ? Expansion() : ExpandMacro(ast_, offset, function, target, args);
    if (expansion.error) return Wrong(expansion.error->offset, expansion.error->message);
    if (expansion.expr != nullptr) {
      New(ExprKind::kError, offset);  // Sees to the limit on parts.
      return expansion.expr;
    }
    Expr* expr = New(ExprKind::kCall, offset);
    expr->name = function;
    expr->target = target;
    expr->args = std::move(args);
    return expr;
  }

  Part ParseExpr() {
    const Level level(*this, kExpr);
    const Part condition = ParseOr();
    if (!token().Is("?")) return condition;
    const Token question = Take();
    const Part then = ParseOr();
    Expect(":");
    const Part otherwise = ParseExpr();
    return {NewCall(question.offset, "_?_:_", {condition.expr, then.expr, otherwise.expr}),
            1 + std::max({condition.height, then.height, otherwise.height})};
  }

  Part ParseOr() {
    const Level level(*this, kOr);
    return ParseLogic("||", "_||_", [this] { return ParseAnd(); });
  }
  Part ParseAnd() {
    const Level level(*this, kAnd);
    return ParseLogic("&&", "_&&_", [this] { return ParseRelation(); });
  }

  // A chain of one operator becomes a tree that is as flat as it can be.
  template <class ParseTerm>
  Part ParseLogic(std::string_view symbol, std::string_view function, ParseTerm parse_term) {
    const Part first = parse_term();
    std::vector<Expr*> terms{first.expr};
    std::vector<Offset> operators;
    int height = first.height;
    while (token().Is(symbol)) {
      operators.push_back(Take().offset);
      const Part term = parse_term();
      terms.push_back(term.expr);
      height = std::max(height, term.height);
    }
    if (operators.empty()) return first;
    return {Balance(function, terms, operators, 0, operators.size() - 1), height};
  }
  Expr* Balance(std::string_view function, const std::vector<Expr*>& terms, const std::vector<Offset>& operators,
                size_t low, size_t high) {
    const size_t middle = (low + high + 1) / 2;
    Expr* left = middle == low ? terms[middle] : Balance(function, terms, operators, low, middle - 1);
    Expr* right = middle == high ? terms[middle + 1] : Balance(function, terms, operators, middle + 1, high);
    return NewCall(operators[middle], function, {left, right});
  }

  Part ParseRelation() {
    const Level level(*this, kRelation);
    Part left = ParseCalc(1);
    for (;;) {
      const auto it =
          std::ranges::find_if(kRelations, [this](const auto& relation) { return token().Is(relation.first); });
      if (it == std::end(kRelations)) return left;
      const Token symbol = Take();
      const Level right_level(*this, kRelation);
      const Part right = ParseCalc(1);
      left = {NewCall(symbol.offset, it->second, {left.expr, right.expr}), 1 + std::max(left.height, right.height)};
    }
  }

  // Sums are of precedence 1, products of 2.
  Part ParseCalc(int precedence) {
    const Level level(*this, kCalc);
    Part left = ParseUnary();
    for (;;) {
      std::string_view function;
      int right_precedence = 2;
      if (precedence <= 1 && token().Is("+")) {
        function = "_+_";
      } else if (precedence <= 1 && token().Is("-")) {
        function = "_-_";
      } else if (precedence <= 2 && (token().Is("*") || token().Is("/") || token().Is("%"))) {
        function = token().Is("*") ? "_*_" : token().Is("/") ? "_/_" : "_%_";
        right_precedence = 3;
      } else {
        return left;
      }
      const Token symbol = Take();
      const Part right = ParseCalc(right_precedence);
      left = {NewCall(symbol.offset, function, {left.expr, right.expr}), 1 + std::max(left.height, right.height)};
    }
  }

  bool IsNumber(const Token& number) const {
    return number.kind == TokenKind::kInt || number.kind == TokenKind::kDouble;
  }

  Part ParseUnary() {
    const Level level(*this, kUnary);
    const bool is_not = token().Is("!");
    // A single minus before a number belongs to the number.
    const bool is_minus = token().Is("-") && !IsNumber(token(1));
    if (!is_not && !is_minus) return ParseMember();
    const Token first = token();
    size_t count = 0;
    while (Skip(is_not ? "!" : "-")) ++count;
    const Part operand = ParseMember();
    if (count % 2 == 0) return operand;
    return {NewCall(first.offset, is_not ? "!_" : "-_", {operand.expr}), operand.height};
  }

  Part ParseMember() {
    const Level level(*this, kMember);
    Part part = ParsePrimary();
    for (;;) {
      if (token().Is(".")) {
        part = ParseSelect(part);
      } else if (token().Is("[")) {
        part = ParseIndex(part);
      } else {
        return part;
      }
    }
  }

  Part ParseSelect(Part operand) {
    const Token dot = Take();
    const bool is_optional = Skip("?");
    const Token name = Take();
    if (name.kind == TokenKind::kIdentifier && !is_optional && token().Is("(")) {
      const Token open = Take();
      const auto [args, height] = ParseArguments();
      return {NewCall(open.offset, name.text, args, operand.expr), 1 + std::max(operand.height, height)};
    }
    if (name.kind != TokenKind::kIdentifier && name.kind != TokenKind::kEscapedIdentifier) {
      Stop(name.offset, "Syntax error: no viable alternative at input '.'");
    }
    const std::string_view field =
        name.kind == TokenKind::kIdentifier ? name.text : name.text.substr(1, name.text.size() - 2);
    if (is_optional) {
      Expr* literal = NewLiteral(name.offset, Value::String(ast_.arena().Text(field)));
      return {NewCall(dot.offset, "_?._", {operand.expr, literal}), 1 + operand.height};
    }
    Expr* select = New(ExprKind::kSelect, dot.offset);
    select->target = operand.expr;
    select->name = field;
    return {select, 1 + operand.height};
  }

  Part ParseIndex(Part operand) {
    const Token open = Take();
    const bool is_optional = Skip("?");
    const Part index = ParseExpr();
    Expect("]");
    return {NewCall(open.offset, is_optional ? "_[?_]" : "_[_]", {operand.expr, index.expr}),
            1 + std::max(operand.height, index.height)};
  }

  // Expressions up to the closing parenthesis, and the height of the highest.
  std::pair<std::vector<Expr*>, int> ParseArguments() {
    std::vector<Expr*> args;
    int height = 0;
    if (Skip(")")) return {};
    do {
      const Part arg = ParseExpr();
      args.push_back(arg.expr);
      height = std::max(height, arg.height);
    } while (Skip(","));
    Expect(")");
    return {std::move(args), height};
  }

  Part ParsePrimary() {
    const Level level(*this, kPrimary);
    const Token first = token();
    if (first.kind == TokenKind::kIdentifier || (first.Is(".") && token(1).kind == TokenKind::kIdentifier))
      return ParseName();
    if (Skip("(")) {
      const Part nested = ParseExpr();
      Expect(")");
      return nested;
    }
    if (first.Is("[")) return ParseList();
    if (first.Is("{")) return ParseMap();
    return {ParseLiteral(), 0};
  }

  // Whether a name with dots and then a brace follows.
  bool IsStructAhead() const {
    size_t ahead = token().Is(".") ? 1 : 0;
    while (token(ahead).kind == TokenKind::kIdentifier && token(ahead + 1).Is(".")) ahead += 2;
    return token(ahead).kind == TokenKind::kIdentifier && token(ahead + 1).Is("{");
  }

  Part ParseName() {
    if (IsStructAhead()) return ParseStruct();
    const Token first = token();
    const bool is_global = Skip(".");
    const Token name = Take();
    const std::string qualified = (is_global ? "." : "") + std::string(name.text);
    const bool is_reserved = IsReservedName(name.text);
    std::optional<Token> open;
    std::pair<std::vector<Expr*>, int> args;
    if (token().Is("(")) {
      open = Take();
      args = ParseArguments();
    }
    if (is_reserved) return {Wrong(first.offset, fmt::format("reserved identifier: {}", name.text)), args.second};
    if (open) return {NewCall(open->offset, qualified, std::move(args.first)), args.second};
    Expr* ident = New(ExprKind::kIdent, name.offset);
    ident->name = qualified;
    return {ident, 0};
  }

  Part ParseStruct() {
    std::string name = Skip(".") ? "." : "";
    name += Take().text;
    while (Skip(".")) name += "." + std::string(Take().text);
    const Token open = Expect("{");
    Expr* expr = New(ExprKind::kStruct, open.offset);
    expr->name = std::move(name);
    int height = 0;
    while (!token().Is("}") && !token().Is(",")) {
      expr->optionals.push_back(Skip("?"));
      const Token field = Take();
      if (field.kind != TokenKind::kIdentifier && field.kind != TokenKind::kEscapedIdentifier) {
        Stop(field.offset, "Syntax error: expecting a field name");
      }
      const bool is_escaped = field.kind == TokenKind::kEscapedIdentifier;
      expr->fields.emplace_back(is_escaped ? field.text.substr(1, field.text.size() - 2) : field.text);
      expr->field_offsets.push_back(Expect(":").offset);
      const Part value = ParseExpr();
      expr->args.push_back(value.expr);
      height = std::max(height, value.height);
      if (!token().Is(",") || token(1).Is("}")) break;
      Take();
    }
    Skip(",");
    Expect("}");
    return {expr, height};
  }

  Part ParseList() {
    Expr* list = New(ExprKind::kList, Take().offset);
    int height = 0;
    while (!token().Is("]") && !token().Is(",")) {
      list->optionals.push_back(Skip("?"));
      const Part element = ParseExpr();
      list->args.push_back(element.expr);
      height = std::max(height, element.height);
      if (!token().Is(",") || token(1).Is("]")) break;
      Take();
    }
    Skip(",");
    Expect("]");
    return {list, height};
  }

  Part ParseMap() {
    Expr* map = New(ExprKind::kMap, Take().offset);
    int height = 0;
    while (!token().Is("}") && !token().Is(",")) {
      map->optionals.push_back(Skip("?"));
      const Part key = ParseExpr();
      Expect(":");
      const Part value = ParseExpr();
      map->args.push_back(key.expr);
      map->args.push_back(value.expr);
      height = std::max({height, key.height, value.height});
      if (!token().Is(",") || token(1).Is("}")) break;
      Take();
    }
    Skip(",");
    Expect("}");
    return {map, height};
  }

  Expr* ParseLiteral() {
    const Token first = token();
    const bool is_negative = first.Is("-") && IsNumber(token(1));
    if (is_negative) Take();
    const Token literal = Take();
    switch (literal.kind) {
      case TokenKind::kInt: {
        const bool is_hex = literal.text.starts_with("0x");
        const std::string digits = (is_negative ? "-" : "") + std::string(literal.text.substr(is_hex ? 2 : 0));
        const std::optional<int64_t> number = ParseGoInt(digits, is_hex ? 16 : 10);
        return number ? NewLiteral(first.offset, Value::Int(*number)) : Wrong(first.offset, "invalid int literal");
      }
      case TokenKind::kUint: {
        const bool is_hex = literal.text.starts_with("0x");
        std::string_view digits = literal.text.substr(is_hex ? 2 : 0);
        digits.remove_suffix(1);
        const std::optional<uint64_t> number = ParseGoUint(digits, is_hex ? 16 : 10);
        return number ? NewLiteral(first.offset, Value::Uint(*number)) : Wrong(first.offset, "invalid uint literal");
      }
      case TokenKind::kDouble: {
        const std::optional<double> number = ParseGoFloat((is_negative ? "-" : "") + std::string(literal.text));
        return number ? NewLiteral(first.offset, Value::Double(*number))
                      : Wrong(first.offset, "invalid double literal");
      }
      case TokenKind::kString:
      case TokenKind::kBytes: {
        const bool is_bytes = literal.kind == TokenKind::kBytes;
        const Result<std::string> text = Unquote(literal.text.substr(is_bytes ? 1 : 0), is_bytes);
        if (!text) return Wrong(first.offset, text.error().message);
        const std::string_view kept = ast_.arena().Text(*text);
        return NewLiteral(first.offset, is_bytes ? Value::Bytes(kept) : Value::String(kept));
      }
      default: break;
    }
    if (literal.Is("true")) return NewLiteral(first.offset, Value::Bool(true));
    if (literal.Is("false")) return NewLiteral(first.offset, Value::Bool(false));
    if (literal.Is("null")) return NewLiteral(first.offset, Value());
    Stop(literal.offset,
         fmt::format("Syntax error: mismatched input '{}' expecting {{'[', '{{', '(', '.', '-', '!', 'true', 'false', "
                     "'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}}",
                     literal.kind == TokenKind::kEnd ? "<EOF>" : literal.text));
  }

  Ast& ast_;
  Issues& issues_;
  bool has_bindings_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
  std::array<int, kRules> depths_{};
};

}  // namespace

void Parse(std::string_view text, Ast& ast, Issues& issues, bool has_bindings) {
  if (text.size() > kCharactersMax && CountCharacters(text) > kCharactersMax) {
    issues.Report(kNowhere, fmt::format("expression code point size exceeds limit: size: {}, limit {}",
                                        CountCharacters(text), kCharactersMax));
    return;
  }
  try {
    Parser(text, ast, issues, has_bindings).Run();
  } catch (const Stopped&) {
  } catch (const Cancelled&) {
    issues.Report(kNowhere, "expression is too large");
  }
}

}  // namespace berth::cel
