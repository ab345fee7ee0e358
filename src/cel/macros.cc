// SPDX-License-Identifier: Apache-2.0
#include "cel/macros.h"

#include <fmt/format.h>

#include <vector>

namespace berth::cel {
namespace {

// Builds parts of the tree at the place of a macro.
class Builder {
 public:
  Builder(Ast& ast, Offset offset) : ast_(ast), offset_(offset) {}

  Expr* Literal(Value value) {
    Expr* expr = ast_.New(ExprKind::kLiteral, offset_);
    expr->literal = value;
    return expr;
  }
  Expr* Ident(std::string_view name) {
    Expr* expr = ast_.New(ExprKind::kIdent, offset_);
    expr->name = name;
    return expr;
  }
  Expr* Accumulator() { return Ident(kAccumulator); }
  Expr* Call(std::string_view function, std::vector<Expr*> args, Expr* target = nullptr) {
    Expr* expr = ast_.New(ExprKind::kCall, offset_);
    expr->name = function;
    expr->target = target;
    expr->args = std::move(args);
    return expr;
  }
  Expr* List(std::vector<Expr*> elements = {}) {
    Expr* expr = ast_.New(ExprKind::kList, offset_);
    expr->optionals.resize(elements.size());
    expr->args = std::move(elements);
    return expr;
  }
  Expr* EmptyMap() { return ast_.New(ExprKind::kMap, offset_); }
  Expr* Test(Expr* operand, std::string_view field) {
    Expr* expr = ast_.New(ExprKind::kSelect, offset_);
    expr->target = operand;
    expr->name = field;
    expr->is_test = true;
    return expr;
  }
  Expr* Fold(Comprehension fold) {
    Expr* expr = ast_.New(ExprKind::kComprehension, offset_);
    expr->fold = ast_.NewComprehension();
    *expr->fold = std::move(fold);
    return expr;
  }
  // `result` with `name` standing for `init`.
  Expr* Bind(std::string_view name, Expr* init, Expr* result) {
    return Fold({.iter_var = std::string(kUnusedVariable),
                 .iter_var2 = {},
                 .accu_var = std::string(name),
                 .range = List(),
                 .init = init,
                 .condition = Literal(Value::Bool(false)),
                 .step = Ident(name),
                 .result = result});
  }

  // The same again, with identities of its own.
  Expr* Copy(const Expr* original) {
    Expr* copy = ast_.New(original->kind, original->offset);
    copy->literal = original->literal;
    copy->name = original->name;
    copy->is_test = original->is_test;
    copy->optionals = original->optionals;
    copy->fields = original->fields;
    copy->field_offsets.assign(original->field_offsets.size(), offset_);
    if (original->target != nullptr) copy->target = Copy(original->target);
    for (const Expr* arg : original->args) copy->args.push_back(Copy(arg));
    if (original->fold != nullptr) {
      copy->fold = ast_.NewComprehension();
      *copy->fold = *original->fold;
      for (Expr* Comprehension::* part : {&Comprehension::range, &Comprehension::init, &Comprehension::condition,
                                          &Comprehension::step, &Comprehension::result}) {
        copy->fold->*part = Copy(original->fold->*part);
      }
    }
    return copy;
  }

 private:
  Ast& ast_;
  Offset offset_;
};

using MacroArgs = std::span<Expr* const>;

Expansion Refuse(const Expr* part, std::string message) {
  return {nullptr, MacroError{part->offset, std::move(message)}};
}

constexpr std::string_view kOverwrites = "iteration variable overwrites accumulator variable";

// The variables of a comprehension: one in front of `body` arguments, or two.
struct Variables {
  std::string first;
  std::string second;
  std::optional<Expansion> error;
};

Variables ReadVariables(MacroArgs args, size_t count, std::string_view no_name) {
  Variables variables;
  for (size_t i = 0; i < count; ++i) {
    if (args[i]->kind != ExprKind::kIdent) {
      variables.error = Refuse(args[i], std::string(no_name));
      return variables;
    }
  }
  variables.first = args[0]->name;
  if (count == 2) variables.second = args[1]->name;
  if (variables.first == variables.second) {
    variables.error = Refuse(args[1], fmt::format("duplicate variable name: {}", variables.first));
  } else if (IsAccumulator(variables.first)) {
    variables.error = Refuse(args[0], std::string(kOverwrites));
  } else if (count == 2 && IsAccumulator(variables.second)) {
    variables.error = Refuse(args[1], std::string(kOverwrites));
  }
  return variables;
}

Expr* Loop(Builder& build, Variables variables, Expr* range, Expr* init, Expr* condition, Expr* step, Expr* result) {
  return build.Fold({.iter_var = std::move(variables.first),
                     .iter_var2 = std::move(variables.second),
                     .accu_var = std::string(kAccumulator),
                     .range = range,
                     .init = init,
                     .condition = condition,
                     .step = step,
                     .result = result});
}

// all, exists and existsOne.
Expansion Quantify(Builder& build, std::string_view function, Expr* range, MacroArgs args) {
  Variables variables = ReadVariables(args, args.size() - 1, "argument must be a simple name");
  if (variables.error) return *variables.error;
  Expr* predicate = args.back();
  if (function == "all") {
    Expr* init = build.Literal(Value::Bool(true));
    Expr* condition = build.Call("@not_strictly_false", {build.Accumulator()});
    Expr* step = build.Call("_&&_", {build.Accumulator(), predicate});
    return {Loop(build, std::move(variables), range, init, condition, step, build.Accumulator()), {}};
  }
  if (function == "exists") {
    Expr* init = build.Literal(Value::Bool(false));
    Expr* condition = build.Call("@not_strictly_false", {build.Call("!_", {build.Accumulator()})});
    Expr* step = build.Call("_||_", {build.Accumulator(), predicate});
    return {Loop(build, std::move(variables), range, init, condition, step, build.Accumulator()), {}};
  }
  Expr* init = build.Literal(Value::Int(0));
  Expr* condition = build.Literal(Value::Bool(true));
  Expr* more = build.Call("_+_", {build.Accumulator(), build.Literal(Value::Int(1))});
  Expr* step = build.Call("_?_:_", {predicate, more, build.Accumulator()});
  Expr* result = build.Call("_==_", {build.Accumulator(), build.Literal(Value::Int(1))});
  return {Loop(build, std::move(variables), range, init, condition, step, result), {}};
}

// Collects into `init` by `step`, of those that the filter lets through.
Expr* Collect(Builder& build, Variables variables, Expr* range, Expr* init, Expr* filter, Expr* step) {
  if (filter != nullptr) step = build.Call("_?_:_", {filter, step, build.Accumulator()});
  Expr* condition = build.Literal(Value::Bool(true));
  return Loop(build, std::move(variables), range, init, condition, step, build.Accumulator());
}

Expansion MapOrFilter(Builder& build, std::string_view function, Expr* range, MacroArgs args) {
  Variables variables = ReadVariables(args, 1, "argument is not an identifier");
  if (variables.error) return *variables.error;
  Expr* init = build.List();
  Expr* element = function == "filter" ? args[0] : args.back();
  Expr* filter = function == "filter" || args.size() == 3 ? args[1] : nullptr;
  Expr* step = build.Call("_+_", {build.Accumulator(), build.List({element})});
  return {Collect(build, std::move(variables), range, init, filter, step), {}};
}

// transformList, transformMap and transformMapEntry.
Expansion Transform(Builder& build, std::string_view function, Expr* range, MacroArgs args) {
  Variables variables = ReadVariables(args, 2, "argument must be a simple name");
  if (variables.error) return *variables.error;
  Expr* filter = args.size() == 4 ? args[2] : nullptr;
  Expr* step = nullptr;
  if (function == "transformList") {
    step = build.Call("_+_", {build.Accumulator(), build.List({args.back()})});
  } else if (function == "transformMap") {
    step = build.Call("cel.@mapInsert", {build.Accumulator(), build.Ident(variables.first), args.back()});
  } else {
    step = build.Call("cel.@mapInsert", {build.Accumulator(), args.back()});
  }
  Expr* init = function == "transformList" ? build.List() : build.EmptyMap();
  return {Collect(build, std::move(variables), range, init, filter, step), {}};
}

// optMap and optFlatMap.
Expansion MapOptional(Builder& build, std::string_view function, Expr* target, MacroArgs args) {
  if (args[0]->kind != ExprKind::kIdent) {
    return Refuse(args[0], fmt::format("{}() variable name must be a simple identifier", function));
  }
  Expr* value = build.Call("value", {}, build.Copy(target));
  Expr* mapped = build.Bind(args[0]->name, value, args[1]);
  if (function == "optMap") mapped = build.Call("optional.of", {mapped});
  return {build.Call("_?_:_", {build.Call("hasValue", {}, target), mapped, build.Call("optional.none", {})}), {}};
}

Expansion Bind(Builder& build, Expr* target, MacroArgs args) {
  if (target->kind != ExprKind::kIdent || target->name != "cel") return {};
  if (args[0]->kind != ExprKind::kIdent) return Refuse(args[0], "cel.bind() variable names must be simple identifiers");
  return {build.Bind(args[0]->name, args[1], args[2]), {}};
}

Expansion SortBy(Builder& build, Expr* target, MacroArgs args) {
  switch (target->kind) {
    case ExprKind::kList:
    case ExprKind::kSelect:
    case ExprKind::kIdent:
    case ExprKind::kComprehension:
    case ExprKind::kCall: break;
    default:
      return Refuse(target,
                    "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
  }
  constexpr std::string_view kInput = "@__sortBy_input__";
  const Expansion keys = MapOrFilter(build, "map", build.Ident(kInput), args);
  if (keys.error) return keys;
  Expr* sorted = build.Call("@sortByAssociatedKeys", {keys.expr}, build.Ident(kInput));
  return {build.Bind(kInput, target, sorted), {}};
}

Expansion Has(Builder& build, MacroArgs args) {
  if (args[0]->kind != ExprKind::kSelect) return Refuse(args[0], "invalid argument to has() macro");
  return {build.Test(args[0]->target, args[0]->name), {}};
}

}  // namespace

Expansion ExpandMacro(Ast& ast, Offset offset, std::string_view function, Expr* target, std::span<Expr* const> args) {
  Builder build(ast, offset);
  const size_t count = args.size();
  if (target == nullptr) return function == "has" && count == 1 ? Has(build, args) : Expansion();
  if (function == "all" || function == "exists" || function == "exists_one" || function == "existsOne") {
    return count == 2 || count == 3 ? Quantify(build, function, target, args) : Expansion();
  }
  if (function == "map") return count == 2 || count == 3 ? MapOrFilter(build, function, target, args) : Expansion();
  if (function == "filter") return count == 2 ? MapOrFilter(build, function, target, args) : Expansion();
  if (function == "transformList" || function == "transformMap" || function == "transformMapEntry") {
    return count == 3 || count == 4 ? Transform(build, function, target, args) : Expansion();
  }
  if (function == "optMap" || function == "optFlatMap") {
    return count == 2 ? MapOptional(build, function, target, args) : Expansion();
  }
  if (function == "bind") return count == 3 ? Bind(build, target, args) : Expansion();
  if (function == "sortBy") return count == 2 ? SortBy(build, target, args) : Expansion();
  return {};
}

}  // namespace berth::cel
