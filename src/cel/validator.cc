// SPDX-License-Identifier: Apache-2.0
#include "cel/validator.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "cel/format_string.h"
#include "cel/library.h"
#include "cel/operations.h"
#include "cel/regex.h"
#include "cel/type.h"

namespace berth::cel {
namespace {

class Validator {
 public:
  Validator(Ast& ast, Issues& issues) : ast_(ast), issues_(issues) {}

  // One rule after the other, because problems of one place are told in that order.
  void Run() {
    Collect(ast_.root, false);
    for (const Part& part : parts_) {
      if (part.expr->kind == ExprKind::kList && !part.is_in_format) ValidateList(part.expr);
    }
    for (const Part& part : parts_) {
      if (part.expr->kind == ExprKind::kMap && !part.is_in_format) ValidateMap(part.expr);
    }
    for (const std::string_view function : {"duration", "timestamp", "matches"}) {
      for (const Part& part : parts_) {
        if (part.expr->kind == ExprKind::kCall && part.expr->name == function) ValidateLiteral(part.expr);
      }
    }
    for (const Part& part : parts_) {
      if (part.expr->kind == ExprKind::kCall && part.expr->name == "format") ValidateFormat(part.expr);
    }
  }

 private:
  struct Part {
    const Expr* expr;
    bool is_in_format;  // Among the arguments of format, where types may differ.
  };

  // What is in a part comes before it.
  void Collect(const Expr* expr, bool is_in_format) {
    const bool is_format = is_in_format || (expr->kind == ExprKind::kCall && expr->name == "format");
    if (expr->target != nullptr) Collect(expr->target, is_format);
    for (const Expr* arg : expr->args) Collect(arg, is_format);
    if (const Comprehension* fold = expr->fold) {
      for (const Expr* part : {fold->range, fold->init, fold->condition, fold->step, fold->result})
        Collect(part, is_format);
    }
    parts_.push_back({expr, is_in_format});
  }

  void ValidateLiteral(const Expr* call) {
    if (call->args.empty() || call->args[0]->kind != ExprKind::kLiteral) return;
    const Value& literal = call->args[0]->literal;
    bool is_fine = true;
    if (call->name == "duration") {
      is_fine = !ToDuration(ast_.arena(), literal).is_error();
    } else if (call->name == "timestamp") {
      is_fine = !ToTimestamp(ast_.arena(), literal).is_error();
    } else if (call->name == "matches") {
      is_fine = !literal.Is(Kind::kString) || Regex::Compile(literal.string()).has_value();
    }
    if (!is_fine) issues_.Report(call->args[0]->offset, fmt::format("invalid {} argument", call->name));
  }

  static const Type* ElementType(const Expr* element, bool is_optional) {
    return is_optional && !element->type->params.empty() ? element->type->params[0] : element->type;
  }

  void ReportMismatch(const Expr* expr, const Type* expected, const Type* actual) {
    issues_.Report(expr->offset,
                   fmt::format("expected type '{}' but found '{}'", FormatType(expected), FormatType(actual)));
  }

  void ValidateList(const Expr* list) {
    const Type* first = nullptr;
    for (size_t i = 0; i < list->args.size(); ++i) {
      const Type* type = ElementType(list->args[i], list->optionals[i]);
      if (first == nullptr) first = type;
      if (first == type) continue;
      ReportMismatch(list->args[i], first, type);
      break;
    }
  }

  void ValidateMap(const Expr* map) {
    for (size_t i = 1; i < map->optionals.size(); ++i) {
      const Type* first_key = map->args[0]->type;
      const Expr* key = map->args[2 * i];
      if (first_key != key->type) ReportMismatch(key, first_key, key->type);
      const Type* first_value = ElementType(map->args[1], map->optionals[0]);
      const Expr* value = map->args[2 * i + 1];
      const Type* value_type = ElementType(value, map->optionals[i]);
      if (first_value != value_type) ReportMismatch(value, first_value, value_type);
    }
  }

  // The part of an argument that %s cannot print; nullptr if there is none.
  static const Expr* UnprintablePart(const Expr* arg) {
    switch (arg->type->kind) {
      case TypeKind::kStruct:
      case TypeKind::kOpaque:
      case TypeKind::kError:
      case TypeKind::kAny: return arg;
      default: break;
    }
    if (arg->kind != ExprKind::kList && arg->kind != ExprKind::kMap) return nullptr;
    for (const Expr* part : arg->args) {
      if (const Expr* unprintable = UnprintablePart(part)) return unprintable;
    }
    return nullptr;
  }

  static bool FitsClause(char verb, TypeKind kind) {
    switch (verb) {
      case 'f':
      case 'e': return kind == TypeKind::kDouble || kind == TypeKind::kString;
      case 'b': return kind == TypeKind::kInt || kind == TypeKind::kUint || kind == TypeKind::kBool;
      case 'x':
      case 'X':
        return kind == TypeKind::kInt || kind == TypeKind::kUint || kind == TypeKind::kString ||
               kind == TypeKind::kBytes;
      default: return kind == TypeKind::kInt || kind == TypeKind::kUint;
    }
  }

  void ValidateFormat(const Expr* call) {
    if (call->target == nullptr || call->args.size() != 1 || call->args[0]->kind != ExprKind::kList ||
        call->target->kind != ExprKind::kLiteral || !call->target->literal.Is(Kind::kString)) {
      return;
    }
    const std::vector<Expr*>& args = call->args[0]->args;
    size_t used = 0;
    const Expr* culprit = nullptr;
    const Result<std::string> walked =
        WalkFormat(call->target->literal.string(), args.size(), true,
                   [&](const FormatClause& clause, size_t index) -> Result<std::string> {
                     used = index + 1;
                     const Expr* arg = args[index];
                     if (clause.verb == 's') {
                       culprit = UnprintablePart(arg);
                     } else if (!arg->type->Is(TypeKind::kDyn) && !FitsClause(clause.verb, arg->type->kind)) {
                       culprit = arg;
                     }
                     if (culprit == nullptr) return "";
                     return Invalid(UnfitForClause(clause.verb, culprit->type->name));
                   });
    if (!walked) {
      issues_.Report(culprit != nullptr ? culprit->offset : call->offset, walked.error().message);
    } else if (args.size() > used) {
      issues_.Report(call->offset, fmt::format("too many arguments supplied to string.format (expected {}, got {})",
                                               used, args.size()));
    }
  }

  Ast& ast_;
  Issues& issues_;
  std::vector<Part> parts_;
};

}  // namespace

void Validate(Ast& ast, Issues& issues) { Validator(ast, issues).Run(); }

}  // namespace berth::cel
