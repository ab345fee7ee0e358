// SPDX-License-Identifier: Apache-2.0
// Variables and what is in them: device.attributes["gpu.example.com"].model.
#include <fmt/format.h>

#include "cel/made_objects.h"
#include "cel/numbers.h"
#include "cel/operations.h"
#include "cel/steps.h"

namespace berth::cel {
namespace {

// What a qualifier finds: a value, nothing, or an error.
struct Found {
  Value value;
  bool is_present = false;
};

Found Missing(Arena& arena, std::string_view what, const Value& key, bool may_be_missing) {
  if (may_be_missing) return {};
  return {Fail(arena, fmt::format("{}: {}", what, GoText(arena, key))), false};
}

Value BadIndex(Arena& arena, const Value& key) {
  if (key.Is(Kind::kDouble) || key.Is(Kind::kUint)) {
    return Fail(arena, fmt::format("unsupported index value {} in list", GoText(arena, key)));
  }
  return Fail(arena, fmt::format("unsupported index type '{}' in list", TypeName(key)));
}

std::optional<int64_t> WholeIndex(const Value& key) {
  if (key.Is(Kind::kInt)) return key.integer();
  if (key.Is(Kind::kDouble)) return ExactInt(key.real());
  if (key.Is(Kind::kUint) && key.unsigned_integer() <= INT64_MAX) return static_cast<int64_t>(key.unsigned_integer());
  return std::nullopt;
}

Found Look(Arena& arena, const Value& object, const Value& key, bool may_be_missing) {
  if (object.Is(Kind::kMap)) {
    Value value;
    if (object.map().FindOrFallback(key, value)) return {value, true};
    return Missing(arena, "no such key", key, may_be_missing);
  }
  if (object.Is(Kind::kList)) {
    const std::optional<int64_t> index = WholeIndex(key);
    if (!index) return {BadIndex(arena, key), false};
    const List& list = object.list();
    if (*index >= 0 && static_cast<uint64_t>(*index) < list.size()) return {list.at(static_cast<size_t>(*index)), true};
    return Missing(arena, "index out of bounds", key, may_be_missing);
  }
  if (object.Is(Kind::kObject) && key.Is(Kind::kString)) {
    if (const Value* const value = object.object().fields.Find(key)) return {*value, true};
    if (!may_be_missing) return {UnsetField(object.object(), key.string()), true};
  }
  return Missing(arena, "no such key", key, may_be_missing);
}

bool IsKey(const Value& value) {
  return value.Is(Kind::kString) || value.Is(Kind::kInt) || value.Is(Kind::kUint) || value.Is(Kind::kBool) ||
         value.Is(Kind::kDouble);
}

// The key of a qualifier, evaluated if it must be; an error if it has none.
Value KeyOf(Frame& frame, const Qualifier& qualifier) {
  Value key = qualifier.key;
  if (qualifier.attribute != nullptr) key = qualifier.attribute->Resolve(frame);
  if (qualifier.step != nullptr) key = qualifier.step->Eval(frame);
  if (key.is_error() || IsKey(key)) return key;
  return Fail(frame.arena, fmt::format("invalid qualifier type: {}", GoTypeName(key)));
}

Found Apply(Frame& frame, const Qualifier& qualifier, const Value& object, bool is_optional) {
  const Value key = KeyOf(frame, qualifier);
  Found found;
  if (key.is_error()) {
    found.value = key;
  } else {
    found = Look(frame.arena, object, key, is_optional || qualifier.is_test);
    if (qualifier.is_test && !is_optional && !found.value.is_error()) found = {Value::Bool(found.is_present), true};
  }
  if (found.is_present || !is_optional) {
    // A step's value is told as an attribute, all else as a qualifier; both cost one.
    if (qualifier.step != nullptr) frame.costs.Drop(qualifier.id);
    frame.costs.Charge(1);
    frame.costs.Push(qualifier.id, found.value);
  }
  return found;
}

Value ApplyAll(Frame& frame, Value object, const std::vector<const Qualifier*>& qualifiers) {
  bool is_optional = object.Is(Kind::kOptional);
  if (is_optional) {
    if (object.optional() == nullptr) return object;
    object = *object.optional();
  }
  for (const Qualifier* qualifier : qualifiers) {
    is_optional |= qualifier->is_optional;
    const Found found = Apply(frame, *qualifier, object, is_optional);
    if (found.value.is_error()) return found.value;
    if (!found.is_present) return Value::Optional(nullptr);
    object = found.value;
  }
  return is_optional ? Value::Optional(frame.arena.Make<Value>(object)) : object;
}

}  // namespace

Value VariableRef::Read(Frame& frame) const {
  if (which == Which::kGiven) return frame.variables[place];
  FoldState& state = *frame.folds[place];
  if (which == Which::kFirst) return state.first;
  if (which == Which::kSecond) return state.second;
  if (!state.is_accu_set) {
    // The first to ask for it makes it.
    state.is_accu_set = true;
    Value init = state.step->init().Eval(frame);
    if (init.Is(Kind::kList) && init.list().size() == 0) init = Value::Of(frame.arena.Make<GrowingList>());
    if (init.Is(Kind::kMap) && init.map().size() == 0) init = Value::Of(frame.arena.Make<Map>());
    state.accu = init;
  }
  return state.accu;
}

int32_t Attribute::id() const {
  if (condition != nullptr) return truthy->id() == falsy->id() ? truthy->id() : base_id;
  return qualifiers.empty() ? base_id : qualifiers.back()->id;
}

void Attribute::Add(const Qualifier* qualifier) {
  if (condition == nullptr) {
    qualifiers.push_back(qualifier);
  } else {
    truthy->Add(qualifier);
    falsy->Add(qualifier);
  }
}

Value Attribute::Resolve(Frame& frame) const {
  if (condition != nullptr) {
    const Value chosen = condition->Eval(frame);
    if (chosen.is_true()) return truthy->Resolve(frame);
    if (chosen.is_false()) return falsy->Resolve(frame);
    return chosen.is_error() ? chosen : NoSuchOverload();
  }
  const Value object = operand != nullptr ? operand->Eval(frame) : variable.Read(frame);
  return object.is_error() ? object : ApplyAll(frame, object, qualifiers);
}

}  // namespace berth::cel
