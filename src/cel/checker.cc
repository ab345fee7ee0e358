// SPDX-License-Identifier: Apache-2.0
#include "cel/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "cel/unify.h"

namespace berth::cel {
namespace {

// Names of types. Those without a value are taken for types by upstream's checker, and found wanting later.
struct TypeDeclaration {
  std::string_view name;
  std::string_view declared;
  bool has_value = true;
};
constexpr TypeDeclaration kTypes[] = {
    {"bool", "bool"},
    {"bytes", "bytes"},
    {"double", "double"},
    {"duration", "duration", false},
    {"google.protobuf.Duration", "duration"},
    {"google.protobuf.Timestamp", "timestamp"},
    {"int", "int"},
    {"list", "list(dyn)"},
    {"map", "map(dyn, dyn)"},
    {"net.CIDR", "cidr"},
    {"net.IP", "ip"},
    {"null_type", "null_type"},
    {"optional_type", "optional(dyn)"},
    {"string", "string"},
    {"timestamp", "timestamp", false},
    {"type", "type"},
    {"uint", "uint"},
};

class Checker {
 public:
  Checker(Ast& ast, const Environment& environment, TypeTable& types, Issues& issues)
      : ast_(ast), environment_(environment), types_(types), issues_(issues), unifier_(types) {}

  void Run() {
    CheckExpr(ast_.root);
    for (Expr* expr : checked_) {
      if (expr->type != nullptr) expr->type = unifier_.Substitute(expr->type, true);
    }
  }

 private:
  const Type* Simple(TypeKind kind) { return types_.Simple(kind); }
  const Type* NewVariable() { return types_.Param(fmt::format("_var{}", variables_++)); }

  void Report(const Expr* expr, std::string message) { issues_.Report(expr->offset, std::move(message)); }
  void ReportMismatch(const Expr* expr, const Type* expected, const Type* actual) {
    Report(expr, fmt::format("expected type '{}' but found '{}'", FormatType(expected), FormatType(actual)));
  }
  void ReportUndeclared(Expr* expr, std::string_view name) {
    expr->type = Simple(TypeKind::kError);
    Report(expr, fmt::format("undeclared reference to '{}' (in container '')", name));
  }

  void CheckExpr(Expr* expr) {
    checked_.push_back(expr);
    switch (expr->kind) {
      case ExprKind::kLiteral: expr->type = LiteralType(expr->literal); break;
      case ExprKind::kIdent: CheckIdent(expr); break;
      case ExprKind::kSelect: CheckSelect(expr); break;
      case ExprKind::kCall: CheckCall(expr); break;
      case ExprKind::kList: CheckList(expr); break;
      case ExprKind::kMap: CheckMap(expr); break;
      case ExprKind::kStruct: CheckStruct(expr); break;
      case ExprKind::kComprehension: CheckComprehension(expr); break;
      case ExprKind::kError: expr->type = Simple(TypeKind::kError); break;
    }
  }

  const Type* LiteralType(const Value& literal) {
    switch (literal.kind()) {
      case Kind::kBool: return Simple(TypeKind::kBool);
      case Kind::kInt: return Simple(TypeKind::kInt);
      case Kind::kUint: return Simple(TypeKind::kUint);
      case Kind::kDouble: return Simple(TypeKind::kDouble);
      case Kind::kString: return Simple(TypeKind::kString);
      case Kind::kBytes: return Simple(TypeKind::kBytes);
      default: return Simple(TypeKind::kNull);
    }
  }

  const Type* FindLocal(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (scope->first == name) return scope->second;
    }
    return nullptr;
  }
  const Type* FindGlobal(std::string_view name) {
    if (const Type* variable = environment_.VariableType(types_, name)) return variable;
    for (const TypeDeclaration& type : kTypes) {
      if (type.name != name) continue;
      std::string_view text = type.declared;
      return types_.TypeOf(types_.Read(text));
    }
    if (environment_.HasTypeName(name)) return types_.TypeOf(types_.Get(TypeKind::kStruct, name));
    return nullptr;
  }

  // Makes the expression a reference to a variable or a type, if there is one of that name.
  bool Resolve(Expr* expr, std::string_view name, std::string_view first_part) {
    const bool is_global = name.starts_with('.');
    if (is_global) name.remove_prefix(1);
    if (first_part.starts_with('.')) first_part.remove_prefix(1);
    const Type* local = FindLocal(first_part);
    const Type* type = nullptr;
    if (local != nullptr && !is_global) {
      if (first_part != name) return false;  // A field of a local variable.
      type = local;
    } else {
      type = FindGlobal(name);
    }
    if (type == nullptr) return false;
    expr->type = type;
    expr->is_reference = true;
    expr->is_global = local == nullptr || is_global;
    expr->kind = ExprKind::kIdent;
    expr->name = std::string(name);
    return true;
  }

  void CheckIdent(Expr* expr) {
    const std::string name = expr->name;
    if (!Resolve(expr, name, name)) ReportUndeclared(expr, name);
  }

  // A chain of selects on an identifier as one name, such as net.IP.
  static std::optional<std::string> QualifiedName(const Expr* expr) {
    if (expr->kind == ExprKind::kIdent) return expr->name;
    if (expr->kind != ExprKind::kSelect || expr->is_test) return std::nullopt;
    std::optional<std::string> name = QualifiedName(expr->target);
    if (name) *name += "." + expr->name;
    return name;
  }

  void CheckSelect(Expr* expr) {
    if (const std::optional<std::string> name = QualifiedName(expr)) {
      const std::string first = name->substr(0, name->find('.', 1));
      if (Resolve(expr, *name, first)) return;
    }
    const Type* type = CheckField(expr, expr->target, expr->name, false);
    expr->type = expr->is_test ? Simple(TypeKind::kBool) : unifier_.Substitute(type, false);
  }

  const Type* CheckField(Expr* expr, Expr* operand, std::string_view field, bool is_optional) {
    CheckExpr(operand);
    const Type* type = unifier_.Substitute(operand->type, false);
    if (type->is_optional()) {
      is_optional = true;
      type = type->params[0];
    }
    const Type* result = Simple(TypeKind::kDyn);
    if (type->Is(TypeKind::kMap)) {
      result = type->params[1];
    } else if (type->Is(TypeKind::kStruct)) {
      result = FieldTypeOrReport(expr->offset, type, field);
    } else if (type->Is(TypeKind::kParam)) {
      unifier_.IsAssignable(result, type);
    } else if (!type->is_dyn() && !type->Is(TypeKind::kError)) {
      Report(expr, fmt::format("type '{}' does not support field selection", FormatType(type)));
    }
    return is_optional ? types_.Optional(result) : result;
  }

  const Type* FieldTypeOrReport(Offset offset, const Type* type, std::string_view field) {
    if (!environment_.IsMessage(type->name)) {
      issues_.Report(offset, fmt::format("unexpected failed resolution of '{}'", type->name));
      return Simple(TypeKind::kError);
    }
    if (const Type* found = environment_.FieldType(types_, type->name, field)) return found;
    issues_.Report(offset, fmt::format("undefined field '{}'", field));
    return Simple(TypeKind::kError);
  }

  void CheckCall(Expr* expr) {
    if (expr->name == "_?._") {
      const Type* type = CheckField(expr, expr->args[0], expr->args[1]->literal.string(), true);
      expr->args[1]->type = Simple(TypeKind::kString);
      expr->type = unifier_.Substitute(type, false);
      expr->overloads = {&environment_.library->Find("_?._")->overloads[0]};
      return;
    }
    for (Expr* arg : expr->args) CheckExpr(arg);
    if (expr->target == nullptr) {
      const std::string_view name = std::string_view(expr->name).substr(expr->name.starts_with('.') ? 1 : 0);
      const Function* function = environment_.library->Find(name);
      if (function == nullptr) return ReportUndeclared(expr, expr->name);
      expr->name = function->name;
      return ResolveOverload(expr, *function);
    }
    if (const std::optional<std::string> prefix = QualifiedName(expr->target)) {
      const std::string name = *prefix + "." + expr->name;
      const Function* function =
          environment_.library->Find(std::string_view(name).substr(name.starts_with('.') ? 1 : 0));
      if (function != nullptr) {
        expr->name = function->name;
        expr->target = nullptr;
        return ResolveOverload(expr, *function);
      }
    }
    CheckExpr(expr->target);
    const Function* function = environment_.library->Find(expr->name);
    if (function == nullptr) return ReportUndeclared(expr, expr->name);
    ResolveOverload(expr, *function);
  }

  void ResolveOverload(Expr* expr, const Function& function) {
    std::vector<const Type*> args;
    if (expr->target != nullptr) args.push_back(expr->target->type);
    for (const Expr* arg : expr->args) args.push_back(arg->type);

    if (function.name == "_&&_" || function.name == "_||_") return CheckLogic(expr, function, args);
    const Type* result = nullptr;
    for (const Overload& overload : function.overloads) {
      if (overload.is_member != (expr->target != nullptr)) continue;
      std::unordered_map<std::string_view, const Type*> fresh;
      for (const std::string_view variable : overload.variables) fresh[variable] = NewVariable();
      std::vector<const Type*> params;
      for (const Type* param : overload.params) params.push_back(Instantiate(param, fresh));
      if (!unifier_.AreAssignable(args, params)) continue;
      expr->overloads.push_back(&overload);
      const Type* this_result = unifier_.Substitute(Instantiate(overload.result, fresh), false);
      if (result == nullptr) {
        result = this_result;
      } else if (!result->is_dyn() && result != this_result) {
        result = Simple(TypeKind::kDyn);
      }
    }
    if (result != nullptr) {
      expr->type = result;
      return;
    }
    std::string signature = expr->target != nullptr ? FormatType(unifier_.Substitute(args[0], true)) + "." : "";
    signature += "(";
    for (size_t i = expr->target != nullptr ? 1 : 0; i < args.size(); ++i) {
      if (!signature.ends_with('(')) signature += ", ";
      signature += FormatType(unifier_.Substitute(args[i], true));
    }
    expr->type = Simple(TypeKind::kError);
    Report(expr, fmt::format("found no matching overload for '{}' applied to '{})'", function.name, signature));
  }

  void CheckLogic(Expr* expr, const Function& function, const std::vector<const Type*>& args) {
    bool is_fine = true;
    for (size_t i = 0; i < args.size(); ++i) {
      if (unifier_.IsAssignable(args[i], Simple(TypeKind::kBool))) continue;
      ReportMismatch(expr->args[i], Simple(TypeKind::kBool), args[i]);
      is_fine = false;
    }
    expr->type = Simple(is_fine ? TypeKind::kBool : TypeKind::kError);
    if (is_fine) expr->overloads = {&function.overloads[0]};
  }

  // A type of a declaration, as one of this check's.
  const Type* Instantiate(const Type* type, const std::unordered_map<std::string_view, const Type*>& fresh) {
    if (type->Is(TypeKind::kParam)) return fresh.at(type->name);
    std::vector<const Type*> params;
    for (const Type* param : type->params) params.push_back(Instantiate(param, fresh));
    return types_.Get(type->kind, type->name, std::move(params));
  }

  const Type* Join(const Type* previous, const Type* current) {
    if (previous == nullptr) return current;
    if (unifier_.IsAssignable(previous, current)) return unifier_.MostGeneral(previous, current);
    return Simple(TypeKind::kDyn);
  }

  // The type in an element with a question mark.
  const Type* Unwrap(const Expr* expr, const Type* type) {
    if (type->is_optional()) return type->params[0];
    if (!type->is_dyn()) ReportMismatch(expr, types_.Optional(type), type);
    return type;
  }

  void CheckList(Expr* expr) {
    const Type* element_type = nullptr;
    for (size_t i = 0; i < expr->args.size(); ++i) {
      Expr* element = expr->args[i];
      CheckExpr(element);
      element_type = Join(element_type, expr->optionals[i] ? Unwrap(element, element->type) : element->type);
    }
    expr->type = types_.List(element_type != nullptr ? element_type : NewVariable());
  }

  void CheckMap(Expr* expr) {
    const Type* key_type = nullptr;
    const Type* value_type = nullptr;
    for (size_t i = 0; i < expr->optionals.size(); ++i) {
      Expr* key = expr->args[2 * i];
      CheckExpr(key);
      key_type = Join(key_type, key->type);
      Expr* value = expr->args[2 * i + 1];
      CheckExpr(value);
      value_type = Join(value_type, expr->optionals[i] ? Unwrap(value, value->type) : value->type);
    }
    if (key_type == nullptr) {
      key_type = NewVariable();
      value_type = NewVariable();
    }
    expr->type = types_.Map(key_type, value_type);
  }

  void CheckStruct(Expr* expr) {
    const std::string name = expr->name.substr(expr->name.starts_with('.') ? 1 : 0);
    const Type* type = FindGlobal(name);
    if (type == nullptr || !type->Is(TypeKind::kType)) return ReportUndeclared(expr, expr->name);
    const bool is_message = environment_.HasTypeName(name);
    if (!is_message) Report(expr, fmt::format("'{}' is not a message type", name));
    expr->name = name;
    expr->type = is_message ? types_.Get(TypeKind::kStruct, name) : Simple(TypeKind::kError);
    for (size_t i = 0; i < expr->args.size(); ++i) {
      Expr* value = expr->args[i];
      CheckExpr(value);
      const Type* field_type = is_message ? environment_.FieldType(types_, name, expr->fields[i]) : nullptr;
      if (field_type == nullptr) {
        issues_.Report(expr->field_offsets[i], fmt::format("undefined field '{}'", expr->fields[i]));
        continue;
      }
      const Type* value_type = expr->optionals[i] ? Unwrap(value, value->type) : value->type;
      if (!unifier_.IsAssignable(field_type, value_type)) {
        issues_.Report(expr->field_offsets[i],
                       fmt::format("expected type of field '{}' is '{}' but provided type is '{}'", expr->fields[i],
                                   FormatType(field_type), FormatType(value_type)));
      }
    }
  }

  void CheckComprehension(Expr* expr) {
    const Comprehension& fold = *expr->fold;
    CheckExpr(fold.range);
    CheckExpr(fold.init);
    const Type* range = unifier_.Substitute(fold.range->type, false);
    const Type* accu = fold.init->type;
    scopes_.emplace_back(fold.accu_var, accu);

    const bool has_two = !fold.iter_var2.empty();
    const Type* first = nullptr;
    const Type* second = nullptr;
    switch (range->kind) {
      case TypeKind::kList:
        first = has_two ? Simple(TypeKind::kInt) : range->params[0];
        second = range->params[0];
        break;
      case TypeKind::kMap:
        first = range->params[0];
        second = range->params[1];
        break;
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kParam:
        first = second = Simple(TypeKind::kDyn);
        unifier_.IsAssignable(first, range);
        break;
      default:
        first = second = Simple(TypeKind::kError);
        Report(fold.range,
               fmt::format("expression of type '{}' cannot be range of a comprehension (must be list, map, or "
                           "dynamic)",
                           FormatType(range)));
        break;
    }
    scopes_.emplace_back(fold.iter_var, first);
    if (has_two) scopes_.emplace_back(fold.iter_var2, second);
    CheckExpr(fold.condition);
    Assert(fold.condition, Simple(TypeKind::kBool));
    CheckExpr(fold.step);
    Assert(fold.step, accu);
    scopes_.resize(scopes_.size() - (has_two ? 2 : 1));
    CheckExpr(fold.result);
    scopes_.pop_back();
    expr->type = unifier_.Substitute(fold.result->type, false);
  }

  void Assert(const Expr* expr, const Type* type) {
    if (!unifier_.IsAssignable(type, expr->type)) ReportMismatch(expr, type, expr->type);
  }

  Ast& ast_;
  const Environment& environment_;
  TypeTable& types_;
  Issues& issues_;
  Unifier unifier_;
  std::vector<std::pair<std::string, const Type*>> scopes_;
  std::vector<Expr*> checked_;
  int variables_ = 0;
};

}  // namespace

void Check(Ast& ast, const Environment& environment, TypeTable& types, Issues& issues) {
  try {
    Checker(ast, environment, types, issues).Run();
  } catch (const Unifier::TooComplex&) {
    issues.Report(kNowhere, "expression is too complex: its types take too long to check");
  }
}

bool IsTypeValue(std::string_view name) {
  return std::ranges::any_of(kTypes,
                             [name](const TypeDeclaration& type) { return type.name == name && type.has_value; });
}

}  // namespace berth::cel
