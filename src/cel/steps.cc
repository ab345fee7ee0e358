// SPDX-License-Identifier: Apache-2.0
#include "cel/steps.h"

#include <fmt/format.h>

#include <boost/container/small_vector.hpp>

#include "cel/made_objects.h"
#include "cel/operations.h"

namespace berth::cel {
namespace {

using Values = boost::container::small_vector<Value, 4>;

constexpr uint64_t kAccess = 1;
constexpr uint64_t kListLiteral = 10;
constexpr uint64_t kMapLiteral = 30;
constexpr uint64_t kStructLiteral = 40;

Value NoSuchOverloadFor(Arena& arena, std::string_view function, std::span<const Value> args) {
  std::string types;
  for (const Value& arg : args) {
    if (!types.empty()) types += ", ";
    types += TypeName(arg);
  }
  return Fail(arena, fmt::format("no such overload: {}({})", function, types));
}

Value BadOptionalEntry(Arena& arena, const Value& key, const Value& value) {
  return Fail(arena, fmt::format("cannot initialize optional entry '{}' from non-optional value {}", GoText(arena, key),
                                 GoText(arena, value)));
}

void ObserveAttribute(Frame& frame, const Attribute& attribute, int32_t id, const Value& value, bool is_test) {
  if (attribute.condition != nullptr) {
    frame.costs.Drop(attribute.falsy->id());
    frame.costs.Drop(attribute.truthy->id());
    frame.costs.Drop(attribute.condition->id());
  } else {
    frame.costs.Drop(attribute.id());
    frame.costs.Charge(kAccess);
  }
  if (is_test) frame.costs.Refund(kAccess);
  frame.costs.Push(id, value);
}

}  // namespace

void RequireHashable(const Value& value) {
  if (!value.Is(Kind::kBytes) && !value.Is(Kind::kSemver) && !value.Is(Kind::kFormat)) return;
  throw Cancelled{fmt::format("internal error: runtime error: hash of unhashable type {}", GoTypeName(value))};
}

Value ConstantStep::Eval(Frame& frame) const {
  frame.costs.Push(id_, value_);
  return value_;
}

Value AttributeStep::Eval(Frame& frame) const {
  const Value value = attribute_->Resolve(frame);
  ObserveAttribute(frame, *attribute_, id(), value, false);
  return value;
}

Value TestStep::Eval(Frame& frame) const {
  Value value = attribute_->Resolve(frame);
  if (value.Is(Kind::kOptional)) value = Value::Bool(value.optional() != nullptr);
  ObserveAttribute(frame, *attribute_, id_, value, true);
  return value;
}

Value LogicStep::Eval(Frame& frame) const {
  Value result = Value::Bool(!is_or_);
  for (const Step* term : terms_) {
    const Value value = term->Eval(frame);
    if (value.Is(Kind::kBool) && value.boolean() == is_or_) {
      result = value;
      break;
    }
    if (!value.Is(Kind::kBool) && !result.is_error()) result = value.is_error() ? value : NoSuchOverload();
  }
  for (const Step* term : terms_) frame.costs.Drop(term->id());
  frame.costs.Push(id_, result);
  return result;
}

CallStep::CallStep(int32_t id, const Function* function, const Overload* overload, Make make, CostRule rule,
                   std::vector<const Step*> args)
    : id_(id),
      function_(function),
      overload_(overload),
      make_(make),
      is_strict_(function->name != "@not_strictly_false"),
      rule_(rule),
      args_(std::move(args)) {
  for (const Step* arg : args_) arg_ids_.push_back(arg->id());
}

Value CallStep::Eval(Frame& frame) const {
  Values args;
  Value result;
  bool has_failed = false;
  for (const Step* arg : args_) {
    args.push_back(arg->Eval(frame));
    if (!is_strict_ || !args.back().is_error()) continue;
    if (!has_failed) result = args.back();
    has_failed = true;
    if (make_ == Make::kVariable) break;
  }
  const std::span<const Value> values(args.data(), args.size());
  // What would cost too much is not done.
  uint64_t cost = 0;
  const bool is_cost_known = !has_failed && IsKnownBefore(rule_);
  if (is_cost_known) cost = CallCost(rule_, frame.arena, values, result);
  if (!has_failed && !frame.costs.IsExceededBy(cost)) result = Invoke(frame.arena, values);

  Values noted(args_.size());
  if (frame.costs.Take(arg_ids_, noted)) {
    frame.costs.Charge(is_cost_known ? cost : CallCost(rule_, frame.arena, noted, result));
  }
  frame.costs.Push(id_, result);
  return result;
}

Value CallStep::Invoke(Arena& arena, std::span<const Value> args) const {
  if (const Operator* common = function_->common) {
    if (HasTrait(args[0], common->trait)) return common->call(arena, args);
    return IsReceiver(args[0]) ? NoSuchOverload() : Fail(arena, fmt::format("no such overload: {}", function_->name));
  }
  const auto accepts = [this, args](const Overload& overload) {
    return overload.params.size() == args.size() && (!function_->checks_types || !is_strict_ || overload.Accepts(args));
  };
  if (overload_ != nullptr) {
    return accepts(*overload_) ? overload_->call(arena, args) : NoSuchOverloadFor(arena, function_->name, args);
  }
  for (const Overload& overload : function_->overloads) {
    if (overload.call != nullptr && accepts(overload)) return overload.call(arena, args);
  }
  return NoSuchOverloadFor(arena, function_->name, args);
}

Value RegexStep::Invoke(Arena& arena, std::span<const Value> args) const {
  if (!args[0].Is(Kind::kString)) return NoSuchOverload();
  const std::string_view text = args[0].string();
  if (function() == "matches") return Value::Bool(regex_.Matches(text));
  if (function() == "find") return Value::String(regex_.Find(text));
  int64_t count = -1;
  if (args.size() > 2) {
    if (!args[2].Is(Kind::kInt)) return NoSuchOverload();
    count = args[2].integer();
  }
  std::vector<Value> found;
  for (const std::string_view match : regex_.FindAll(text, count)) found.push_back(Value::String(match));
  return MakeList(arena, found);
}

Value EqualStep::Invoke(Arena& arena, std::span<const Value> args) const {
  const Value equal = Equal(arena, args[0], args[1]);
  return is_negated_ ? Value::Bool(!equal.is_true()) : equal;
}

Value MembershipStep::Eval(Frame& frame) const {
  Value value = arg_->Eval(frame);
  if (!value.is_error()) {
    RequireHashable(value);
    value = Value::Bool(values_.contains(value));
  }
  frame.costs.Push(id_, value);
  return value;
}

Value OptionalOrStep::Eval(Frame& frame) const {
  Value value = left_->Eval(frame);
  if (value.Is(Kind::kOptional)) {
    if (value.optional() == nullptr) {
      value = right_->Eval(frame);
    } else if (unwraps_) {
      value = *value.optional();
    }
  } else if (!value.is_error()) {
    value = NoSuchOverload();
  }
  frame.costs.Push(id_, value);
  return value;
}

LiteralStep::LiteralStep(int32_t id, Make make, std::vector<const Step*> parts, std::vector<bool> optionals)
    : id_(id), make_(make), parts_(std::move(parts)), optionals_(std::move(optionals)) {
  for (const Step* part : parts_) part_ids_.push_back(part->id());
}

LiteralStep::LiteralStep(int32_t id, std::string name, std::vector<std::string> fields, std::vector<const Step*> parts,
                         std::vector<bool> optionals)
    : LiteralStep(id, Make::kStruct, std::move(parts), std::move(optionals)) {
  name_ = std::move(name);
  fields_ = std::move(fields);
}

Value LiteralStep::Eval(Frame& frame) const {
  const Value value = Build(frame);
  Values noted(parts_.size());
  frame.costs.Take(part_ids_, noted);
  frame.costs.Charge(make_ == Make::kList ? kListLiteral : make_ == Make::kMap ? kMapLiteral : kStructLiteral);
  frame.costs.Push(id_, value);
  return value;
}

Value LiteralStep::Build(Frame& frame) const {
  switch (make_) {
    case Make::kList: return BuildList(frame);
    case Make::kMap: return BuildMap(frame);
    default: return BuildStruct(frame);
  }
}

Value LiteralStep::BuildList(Frame& frame) const {
  const std::span<Value> values = frame.arena.Array<Value>(parts_.size());
  size_t count = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    Value value = parts_[i]->Eval(frame);
    if (value.is_error()) return value;
    if (optionals_[i]) {
      if (!value.Is(Kind::kOptional)) {
        return Fail(frame.arena,
                    "cannot initialize optional list element from non-optional value " + GoText(frame.arena, value));
      }
      if (value.optional() == nullptr) continue;
      value = *value.optional();
    }
    values[count++] = value;
  }
  return Value::Of(frame.arena.Make<ArrayList>(values.first(count)));
}

Value LiteralStep::BuildMap(Frame& frame) const {
  Map* map = frame.arena.Make<Map>();
  for (size_t i = 0; i < optionals_.size(); ++i) {
    const Value key = parts_[2 * i]->Eval(frame);
    if (key.is_error()) return key;
    Value value = parts_[2 * i + 1]->Eval(frame);
    if (value.is_error()) return value;
    RequireHashable(key);
    if (optionals_[i]) {
      if (!value.Is(Kind::kOptional)) return BadOptionalEntry(frame.arena, key, value);
      if (value.optional() == nullptr) {
        map->Remove(key);
        continue;
      }
      value = *value.optional();
    }
    frame.arena.Count(sizeof(Map::Entry));
    map->Set(key, value);
  }
  return Value::Of(map);
}

Value LiteralStep::BuildStruct(Frame& frame) const {
  Map* const fields = frame.arena.Make<Map>();
  for (size_t i = 0; i < parts_.size(); ++i) {
    Value value = parts_[i]->Eval(frame);
    if (value.is_error()) return value;
    const Value field = Value::String(fields_[i]);
    if (optionals_[i]) {
      if (!value.Is(Kind::kOptional)) return BadOptionalEntry(frame.arena, field, value);
      if (value.optional() == nullptr) {
        fields->Remove(field);
        continue;
      }
      value = *value.optional();
    }
    frame.arena.Count(sizeof(Map::Entry));
    fields->Set(field, value);
  }
  // Other types have no values; their fields are evaluated all the same.
  if (!IsMadeType(name_)) return Fail(frame.arena, fmt::format("unknown type '{}'", name_));
  return Value::Of(frame.arena.Make<MadeObject>(name_, *fields));
}

Value FoldStep::Eval(Frame& frame) const {
  const Value value = Run(frame);
  frame.costs.Drop(parts_.range->id());
  frame.costs.Push(id_, value);
  return value;
}

Value FoldStep::Run(Frame& frame) const {
  const Value range = parts_.range->Eval(frame);
  if (range.is_error()) return range;
  FoldState state{.step = this, .accu = {}, .first = {}, .second = {}, .is_accu_set = false};
  FoldState* const outer = frame.folds[depth_];
  frame.folds[depth_] = &state;

  if (range.Is(Kind::kList)) {
    const List& list = range.list();
    // The size of a list that grows meanwhile counts as it was.
    const size_t size = list.size();
    for (size_t i = 0; i < size; ++i) {
      state.first = has_two_variables_ ? Value::Int(static_cast<int64_t>(i)) : list.at(i);
      state.second = list.at(i);
      if (!Round(frame, state)) break;
    }
  } else if (range.Is(Kind::kMap)) {
    for (const Map::Entry& entry : range.map().entries()) {
      state.first = entry.key;
      state.second = entry.value;
      if (!Round(frame, state)) break;
    }
  } else {
    frame.folds[depth_] = outer;
    return Fail(frame.arena, has_two_variables_
                                 ? fmt::format("unsupported comprehension range type: {}", GoTypeName(range))
                                 : fmt::format("got '{}', expected iterable type", GoTypeName(range)));
  }

  Value result = parts_.result->Eval(frame);
  frame.folds[depth_] = outer;
  if (result.Is(Kind::kList) && result.list().make() == List::Make::kGrowing &&
      result.identity() == state.accu.identity()) {
    // From here on it is a list like others.
    const std::span<Value> values = frame.arena.Array<Value>(result.list().size());
    for (size_t i = 0; i < values.size(); ++i) values[i] = result.list().at(i);
    result = Value::Of(frame.arena.Make<ArrayList>(values));
  }
  return result;
}

bool FoldStep::Round(Frame& frame, FoldState& state) const {
  frame.arena.Spend(1);
  if (parts_.condition->Eval(frame).is_false()) return false;
  state.accu = parts_.step->Eval(frame);
  state.is_accu_set = true;
  return true;
}

}  // namespace berth::cel
