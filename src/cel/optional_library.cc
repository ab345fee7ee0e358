// SPDX-License-Identifier: Apache-2.0
// Optional values, and the map insertions that two-variable comprehensions are made of.
#include "cel/containers.h"
#include "cel/library.h"

namespace berth::cel {
namespace {

Value Some(Arena& arena, const Value& value) { return Value::Optional(arena.Make<Value>(value)); }
Value None() { return Value::Optional(nullptr); }

Value Of(Arena& arena, Args args) { return Some(arena, args[0]); }
Value OfNonZero(Arena& arena, Args args) { return IsZero(args[0]) ? None() : Some(arena, args[0]); }
Value MakeNone(Arena&, Args) { return None(); }
Value HasValue(Arena&, Args args) { return Value::Bool(args[0].optional() != nullptr); }
Value ValueOf(Arena&, Args args) {
  return args[0].optional() == nullptr ? Value::Error("optional.none() dereference") : *args[0].optional();
}

Value First(Arena& arena, Args args) {
  const List& list = args[0].list();
  return list.size() == 0 ? None() : Some(arena, list.at(0));
}
Value Last(Arena& arena, Args args) {
  const List& list = args[0].list();
  return list.size() == 0 ? None() : Some(arena, list.at(list.size() - 1));
}

Value Unwrap(Arena& arena, Args args) {
  const List& list = args[0].list();
  std::vector<Value> values;
  SpendOn(arena, list);
  for (size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    if (!element.Is(Kind::kOptional)) return Fail(arena, "value " + GoText(arena, element) + " is not optional");
    if (element.optional() != nullptr) values.push_back(*element.optional());
  }
  return MakeList(arena, values);
}

// Adds an entry to the map of a comprehension, which is the accumulator's own.
Value Insert(Arena& arena, const Value& map, const Value& key, const Value& value) {
  if (map.map().Find(key) != nullptr) {
    return Fail(arena, "insert failed: key " + GoText(arena, key) + " already exists");
  }
  map.map().Add(arena, key, value);
  return map;
}

Value InsertOne(Arena& arena, Args args) { return Insert(arena, args[0], args[1], args[2]); }

Value InsertAll(Arena& arena, Args args) {
  for (const Map::Entry& entry : args[1].map().entries()) {
    const Value inserted = Insert(arena, args[0], entry.key, entry.value);
    if (inserted.is_error()) return inserted;
  }
  return args[0];
}

constexpr Declaration kOptionalFunctions[] = {
    {"optional.of", "optional_of", "(V): optional(V)", Of},
    {"optional.ofNonZeroValue", "optional_ofNonZeroValue", "(V): optional(V)", OfNonZero},
    {"optional.none", "optional_none", "(): optional(V)", MakeNone},
    {"value", "optional_value", "optional(V).(): V", ValueOf},
    {"hasValue", "optional_hasValue", "optional(V).(): bool", HasValue},
    {"or", "optional_or_optional", "optional(V).(optional(V)): optional(V)"},
    {"orValue", "optional_orValue_value", "optional(V).(V): V"},
    {"_?._", "select_optional_field", "(dyn, string): optional(V)"},
    {"_[?_]", "list_optindex_optional_int", "(list(V), int): optional(V)"},
    {"_[?_]", "optional_list_optindex_optional_int", "(optional(list(V)), int): optional(V)"},
    {"_[?_]", "map_optindex_optional_value", "(map(K, V), K): optional(V)"},
    {"_[?_]", "optional_map_optindex_optional_value", "(optional(map(K, V)), K): optional(V)"},
    {"_[_]", "optional_list_index_int", "(optional(list(V)), int): optional(V)"},
    {"_[_]", "optional_map_index_value", "(optional(map(K, V)), K): optional(V)"},
    {"last", "list_last", "list(V).(): optional(V)", Last},
    {"first", "list_first", "list(V).(): optional(V)", First},
    {"optional.unwrap", "optional_unwrap", "(list(optional(V))): list(V)", Unwrap},
    {"unwrapOpt", "optional_unwrapOpt", "list(optional(V)).(): list(V)", Unwrap},
    {"cel.@mapInsert", "@mapInsert_map_key_value", "(map(K, V), K, V): map(K, V)", InsertOne},
    {"cel.@mapInsert", "@mapInsert_map_map", "(map(K, V), map(K, V)): map(K, V)", InsertAll},
};

}  // namespace

std::span<const Declaration> OptionalFunctions() { return kOptionalFunctions; }

}  // namespace berth::cel
