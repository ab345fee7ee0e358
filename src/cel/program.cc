// SPDX-License-Identifier: Apache-2.0
#include "cel/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/checker.h"
#include "cel/numbers.h"
#include "cel/operations.h"

namespace berth::cel {

// Turns a tree into steps.
class Planner {
 public:
  // Thrown with what is wrong.
  struct Failed {
    std::string message;
  };

  Planner(const Environment& environment, Program& program)
      : environment_(environment), program_(program), arena_(*program.arena_) {}

  const Step* Plan(const Expr* expr) {
    switch (expr->kind) {
      case ExprKind::kLiteral: return New<ConstantStep>(expr->id, Keep(expr->literal));
      case ExprKind::kIdent: return PlanIdent(expr);
      case ExprKind::kSelect: return PlanSelect(expr);
      case ExprKind::kCall: return PlanCall(expr);
      case ExprKind::kList: return PlanList(expr);
      case ExprKind::kMap: return PlanLiteral(expr, LiteralStep::Make::kMap);
      case ExprKind::kStruct:
        return New<LiteralStep>(expr->id, expr->name, expr->fields, PlanAll(expr->args), expr->optionals);
      case ExprKind::kComprehension: return PlanFold(expr);
      case ExprKind::kError: break;
    }
    throw Failed{"unsupported expr"};
  }

 private:
  // A variable of a comprehension around.
  struct Local {
    std::string_view name;
    VariableRef variable;
  };

  template <class T, class... Args>
  T* New(Args&&... args) {
    return arena_.Make<T>(std::forward<Args>(args)...);
  }

  // The literal, with its text in the program.
  Value Keep(const Value& literal) {
    if (literal.Is(Kind::kString)) return Value::String(arena_.Text(literal.string()));
    if (literal.Is(Kind::kBytes)) return Value::Bytes(arena_.Text(literal.bytes()));
    return literal;
  }

  std::vector<const Step*> PlanAll(const std::vector<Expr*>& exprs) {
    std::vector<const Step*> steps;
    for (const Expr* expr : exprs) steps.push_back(Plan(expr));
    return steps;
  }

  const Step* PlanIdent(const Expr* expr) {
    if (expr->type->Is(TypeKind::kType)) {
      if (!IsTypeValue(expr->name)) throw Failed{fmt::format("reference to undefined type: {}", expr->name)};
      return New<ConstantStep>(expr->id, Value::Type(arena_.Text(expr->name)));
    }
    Attribute* attribute = New<Attribute>();
    attribute->base_id = expr->id;
    if (expr->is_global) {
      attribute->variable.place = environment_.VariablePlace(expr->name);
    } else {
      const auto local =
          std::find_if(locals_.rbegin(), locals_.rend(), [expr](const Local& l) { return l.name == expr->name; });
      BERTH_ASSERT(local != locals_.rend());
      attribute->variable = local->variable;
    }
    return New<AttributeStep>(attribute);
  }

  // The attribute of a step, to add qualifiers to; a new one around it if it has none.
  std::pair<const Step*, Attribute*> AttributeOf(const Step* step) {
    if (const auto* attribute_step = dynamic_cast<const AttributeStep*>(step))
      return {step, attribute_step->attribute()};
    if (const auto* test_step = dynamic_cast<const TestStep*>(step)) return {step, test_step->attribute()};
    Attribute* attribute = New<Attribute>();
    attribute->base_id = step->id();
    attribute->operand = step;
    return {New<AttributeStep>(attribute), attribute};
  }

  const Step* PlanSelect(const Expr* expr) {
    auto [step, attribute] = AttributeOf(Plan(expr->target));
    Qualifier* qualifier = New<Qualifier>();
    qualifier->id = expr->id;
    qualifier->key = Value::String(arena_.Text(expr->name));
    qualifier->is_test = expr->is_test;
    attribute->Add(qualifier);
    return expr->is_test ? New<TestStep>(expr->id, attribute) : step;
  }

  const Step* PlanIndex(const Expr* expr, bool is_optional) {
    const Step* operand = Plan(expr->args[0]);
    const Step* index = Plan(expr->args[1]);
    auto [step, attribute] = AttributeOf(operand);
    Qualifier* qualifier = New<Qualifier>();
    qualifier->id = expr->id;
    qualifier->is_optional = is_optional;
    if (const auto* constant = dynamic_cast<const ConstantStep*>(index)) {
      qualifier->key = constant->value();
      const Kind kind = qualifier->key.kind();
      if (kind != Kind::kString && kind != Kind::kInt && kind != Kind::kUint && kind != Kind::kBool &&
          kind != Kind::kDouble) {
        throw Failed{fmt::format("invalid qualifier type: {}", GoTypeName(qualifier->key))};
      }
    } else if (const auto* attribute_step = dynamic_cast<const AttributeStep*>(index)) {
      qualifier->attribute = attribute_step->attribute();
    } else if (const auto* test_step = dynamic_cast<const TestStep*>(index)) {
      qualifier->attribute = test_step->attribute();
    } else {
      qualifier->step = index;
    }
    attribute->Add(qualifier);
    return step;
  }

  Attribute* Branch(const Step* step) {
    if (const auto* attribute_step = dynamic_cast<const AttributeStep*>(step)) return attribute_step->attribute();
    if (const auto* test_step = dynamic_cast<const TestStep*>(step)) return test_step->attribute();
    Attribute* attribute = New<Attribute>();
    attribute->base_id = step->id();
    attribute->operand = step;
    return attribute;
  }

  const Step* PlanConditional(const Expr* expr) {
    const std::vector<const Step*> args = PlanAll(expr->args);
    Attribute* attribute = New<Attribute>();
    attribute->base_id = expr->id;
    attribute->condition = args[0];
    attribute->truthy = Branch(args[1]);
    attribute->falsy = Branch(args[2]);
    return New<AttributeStep>(attribute);
  }

  const Step* PlanCall(const Expr* expr) {
    const std::string_view name = expr->name;
    if (name == "_&&_" || name == "_||_") return New<LogicStep>(expr->id, name == "_||_", PlanAll(expr->args));
    if (name == "_?_:_") return PlanConditional(expr);
    if (name == "_[_]") return PlanIndex(expr, false);
    if (name == "_[?_]" || name == "_?._") return PlanIndex(expr, true);

    std::vector<const Step*> args;
    if (expr->target != nullptr) args.push_back(Plan(expr->target));
    for (const Expr* arg : expr->args) args.push_back(Plan(arg));
    const Function* function = environment_.library->Find(name);
    const Overload* overload = expr->overloads.size() == 1 ? expr->overloads[0] : nullptr;
    const CostRule rule = CostRuleOf(name, overload != nullptr ? overload->id : std::string_view());
    if (name == "_==_" || name == "_!=_")
      return New<EqualStep>(expr->id, function, name == "_!=_", rule, std::move(args));
    if (name == "or" || name == "orValue") return New<OptionalOrStep>(expr->id, name == "orValue", args[0], args[1]);
    if (name == "@in" && overload != nullptr && overload->id == "in_list") {
      if (const Step* membership = PlanMembership(expr, args)) return membership;
    }
    if (const Step* regex = PlanRegex(expr, *function, rule, args)) return regex;
    return Fold(*function, New<CallStep>(expr->id, function, Callee(*function, overload),
                                         MakeOf(*function, overload, args.size()), rule, std::move(args)));
  }

  // The overload that is called whatever the arguments are; nullptr if they decide.
  static const Overload* Callee(const Function& function, const Overload* overload) {
    if (overload != nullptr && overload->call != nullptr) return overload;
    if (function.CountCallable() != 1) return nullptr;
    const auto it = std::ranges::find_if(function.overloads, [](const Overload& o) { return o.call != nullptr; });
    return &*it;
  }

  static CallStep::Make MakeOf(const Function& function, const Overload* overload, size_t arg_count) {
    if (arg_count > 2 || function.name == "format") return CallStep::Make::kVariable;
    if (function.common != nullptr) return CallStep::Make::kFixed;
    return Callee(function, overload) != nullptr ? CallStep::Make::kFixed : CallStep::Make::kVariable;
  }

  static bool IsConversion(std::string_view name) {
    constexpr std::string_view kConversions[] = {"bool", "bytes",  "double",    "duration", "dyn",
                                                 "int",  "string", "timestamp", "type",     "uint"};
    return std::ranges::find(kConversions, name) != std::end(kConversions);
  }

  // A conversion of a constant is a constant.
  const Step* Fold(const Function& function, const CallStep* call) {
    if (!IsConversion(function.name) || call->args().size() != 1) return call;
    if (dynamic_cast<const ConstantStep*>(call->args()[0]) == nullptr) return call;
    const Value value = EvaluateConstant([call](Frame& frame) { return call->Eval(frame); });
    if (value.is_error()) throw Failed{std::string(value.message())};
    return New<ConstantStep>(call->id(), value);
  }

  // Evaluates into the program's own memory.
  template <class Eval>
  Value EvaluateConstant(Eval eval) {
    CostTracker costs(UINT64_MAX, program_.id_end_);
    Frame frame{arena_, costs, {}, {}};
    try {
      return eval(frame);
    } catch (const Cancelled& cancelled) {
      throw Failed{cancelled.message};
    }
  }

  const Step* PlanList(const Expr* expr) { return PlanLiteral(expr, LiteralStep::Make::kList); }

  const Step* PlanLiteral(const Expr* expr, LiteralStep::Make make) {
    const LiteralStep* literal = New<LiteralStep>(expr->id, make, PlanAll(expr->args), expr->optionals);
    const bool is_constant = std::ranges::all_of(
        literal->parts(), [](const Step* part) { return dynamic_cast<const ConstantStep*>(part) != nullptr; });
    if (!is_constant) return literal;
    return New<ConstantStep>(expr->id, EvaluateConstant([literal](Frame& frame) { return literal->Build(frame); }));
  }

  // A look into a set, if the list is one of simple constants.
  const Step* PlanMembership(const Expr* expr, const std::vector<const Step*>& args) {
    const auto* constant = dynamic_cast<const ConstantStep*>(args[1]);
    if (constant == nullptr || !constant->value().Is(Kind::kList)) return nullptr;
    const List& list = constant->value().list();
    if (list.size() == 0) return New<ConstantStep>(expr->id, Value::Bool(false));
    MembershipStep::Set values;
    for (size_t i = 0; i < list.size(); ++i) {
      const Value value = list.at(i);
      switch (value.kind()) {
        case Kind::kDouble:
          if (const auto number = ExactInt(value.real())) values.insert(Value::Int(*number));
          if (const auto number = ExactUint(value.real())) values.insert(Value::Uint(*number));
          break;
        case Kind::kInt:
          values.insert(Value::Double(static_cast<double>(value.integer())));
          if (value.integer() >= 0) values.insert(Value::Uint(static_cast<uint64_t>(value.integer())));
          break;
        case Kind::kUint:
          values.insert(Value::Double(static_cast<double>(value.unsigned_integer())));
          if (value.unsigned_integer() <= INT64_MAX)
            values.insert(Value::Int(static_cast<int64_t>(value.unsigned_integer())));
          break;
        case Kind::kBool:
        case Kind::kString: break;
        default: return nullptr;
      }
      values.insert(value);
    }
    return New<MembershipStep>(expr->id, args[0], std::move(values));
  }

  const Step* PlanRegex(const Expr* expr, const Function& function, CostRule rule,
                        const std::vector<const Step*>& args) {
    if (function.name != "matches" && function.name != "find" && function.name != "findAll") return nullptr;
    const auto* pattern = args.size() > 1 ? dynamic_cast<const ConstantStep*>(args[1]) : nullptr;
    if (pattern == nullptr || !pattern->value().Is(Kind::kString)) return nullptr;
    Result<Regex> regex = Regex::Compile(pattern->value().string());
    if (!regex) throw Failed{regex.error().message};
    return New<RegexStep>(expr->id, &function, rule, args, std::move(*regex));
  }

  const Step* PlanFold(const Expr* expr) {
    const Comprehension& fold = *expr->fold;
    FoldStep::Parts parts;
    parts.init = Plan(fold.init);
    parts.range = Plan(fold.range);
    const size_t depth = depth_++;
    program_.fold_depth_ = std::max(program_.fold_depth_, depth_);
    const size_t outer = locals_.size();
    locals_.push_back({fold.accu_var, {VariableRef::Which::kAccu, depth}});
    locals_.push_back({fold.iter_var, {VariableRef::Which::kFirst, depth}});
    if (!fold.iter_var2.empty()) locals_.push_back({fold.iter_var2, {VariableRef::Which::kSecond, depth}});
    parts.condition = Plan(fold.condition);
    parts.step = Plan(fold.step);
    locals_.resize(outer + 1);
    parts.result = Plan(fold.result);
    locals_.resize(outer);
    --depth_;
    return New<FoldStep>(expr->id, depth, !fold.iter_var2.empty(), parts);
  }

  const Environment& environment_;
  Program& program_;
  Arena& arena_;
  std::vector<Local> locals_;
  size_t depth_ = 0;
};

Result<Program> Program::Make(const Ast& ast, const Environment& environment) {
  Program program;
  program.id_end_ = ast.id_end();
  try {
    program.root_ = Planner(environment, program).Plan(ast.root);
  } catch (const Planner::Failed& failed) {
    return Invalid(failed.message);
  } catch (const Cancelled& cancelled) {
    return Invalid(cancelled.message);
  }
  return program;
}

Value Program::Evaluate(Arena& arena, CostTracker& costs, std::span<const Value> variables) const {
  Frame frame{arena, costs, variables, std::vector<FoldState*>(fold_depth_)};
  return root_->Eval(frame);
}

}  // namespace berth::cel
