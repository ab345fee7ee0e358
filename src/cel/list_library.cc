// SPDX-License-Identifier: Apache-2.0
// Functions of lists: cel-go's lists library, version 3, sets, and Kubernetes' own.
#include <fmt/format.h>

#include "cel/containers.h"
#include "cel/library.h"
#include "cel/sorting.h"

namespace berth::cel {
namespace {

Value Slice(Arena& arena, Args args) {
  const List& list = args[0].list();
  const int64_t start = args[1].integer();
  const int64_t end = args[2].integer();
  if (start < 0 || end < 0) {
    return Fail(arena, fmt::format("cannot slice({}, {}), negative indexes not supported", start, end));
  }
  if (start > end) {
    return Fail(arena,
                fmt::format("cannot slice({}, {}), start index must be less than or equal to end index", start, end));
  }
  if (list.size() < static_cast<uint64_t>(end)) {
    return Fail(arena, fmt::format("cannot slice({}, {}), list is length {}", start, end, list.size()));
  }
  const std::span<Value> values = arena.Array<Value>(static_cast<size_t>(end - start));
  for (size_t i = 0; i < values.size(); ++i) values[i] = list.at(static_cast<size_t>(start) + i);
  return Value::Of(arena.Make<ArrayList>(values));
}

void FlattenInto(Arena& arena, const List& list, int64_t depth, std::vector<Value>& out) {
  SpendOn(arena, list);
  for (size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    if (element.Is(Kind::kList) && depth > 0) {
      FlattenInto(arena, element.list(), depth - 1, out);
    } else {
      arena.Count(sizeof(Value));
      out.push_back(element);
    }
  }
}

Value Flatten(Arena& arena, Args args) {
  if (!args[0].Is(Kind::kList) || (args.size() > 1 && !args[1].Is(Kind::kInt))) {
    std::string types(TypeName(args[0]));
    types += ".flatten(";
    if (args.size() > 1) types += TypeName(args[1]);
    return Fail(arena, "no such overload: " + types + ")");
  }
  const int64_t depth = args.size() > 1 ? args[1].integer() : 1;
  if (depth < 0) return Fail(arena, "level must be non-negative");
  std::vector<Value> values;
  FlattenInto(arena, args[0].list(), depth, values);
  return MakeList(arena, values);
}

Value Range(Arena& arena, Args args) {
  constexpr int64_t kSizeMax = 1'000'000;
  const int64_t size = args[0].integer();
  if (size < 0) return Fail(arena, fmt::format("lists.range: size must be non-negative, got {}", size));
  if (size > kSizeMax) {
    return Fail(arena, fmt::format("lists.range: size {} exceeds maximum allowed ({})", size, kSizeMax));
  }
  const std::span<Value> values = arena.Array<Value>(static_cast<size_t>(size));
  for (size_t i = 0; i < values.size(); ++i) values[i] = Value::Int(static_cast<int64_t>(i));
  return Value::Of(arena.Make<ArrayList>(values));
}

Value Reverse(Arena& arena, Args args) {
  const List& list = args[0].list();
  const std::span<Value> values = arena.Array<Value>(list.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = list.at(values.size() - 1 - i);
  return Value::Of(arena.Make<ArrayList>(values));
}

Value Distinct(Arena& arena, Args args) {
  const List& list = args[0].list();
  if (list.size() == 0) return args[0];
  std::vector<Value> values;
  for (size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    const bool is_seen =
        std::ranges::any_of(values, [&](const Value& seen) { return EqualInside(arena, element, seen).is_true(); });
    if (!is_seen) values.push_back(element);
  }
  return MakeList(arena, values);
}

// Of the first argument, by the keys in the last.
Value Sort(Arena& arena, Args args) {
  if (!args.back().Is(Kind::kList)) return NoSuchOverload();
  const List& list = args[0].list();
  const List& keys = args.back().list();
  if (list.size() != keys.size()) {
    return Fail(arena,
                fmt::format("@sortByAssociatedKeys() expected a list of the same size as the associated keys list, "
                            "but got {} and {} elements respectively",
                            list.size(), keys.size()));
  }
  if (list.size() == 0) return args[0];
  const Kind kind = keys.at(0).kind();
  if (!HasTrait(keys.at(0), Trait::kCompare)) return Fail(arena, "list elements must be comparable");
  bool is_mixed = false;
  const std::vector<size_t> order = SortedOrder(list.size(), [&](size_t left, size_t right) {
    arena.Spend(1);
    const Value a = keys.at(left);
    const Value b = keys.at(right);
    is_mixed |= a.kind() != kind || b.kind() != kind;
    if (a.kind() != kind || b.kind() != kind) return false;
    const Value comparison = Compare(arena, a, b);
    return comparison.Is(Kind::kInt) && comparison.integer() < 0;
  });
  if (is_mixed) return Fail(arena, "list elements must have the same type");
  const std::span<Value> values = arena.Array<Value>(list.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = list.at(order[i]);
  return Value::Of(arena.Make<ArrayList>(values));
}

Value IsSorted(Arena& arena, Args args) {
  const List& list = args[0].list();
  SpendOn(arena, list);
  for (size_t i = 0; i < list.size(); ++i) {
    if (!HasTrait(list.at(i), Trait::kCompare)) return NoSuchOverload();
    if (i == 0) continue;
    const Value order = Compare(arena, list.at(i - 1), list.at(i));
    if (order.Is(Kind::kInt) && order.integer() > 0) return Value::Bool(false);
  }
  return Value::Bool(true);
}

Value SumFrom(Arena& arena, Value sum, const List& list) {
  SpendOn(arena, list);
  for (size_t i = 0; i < list.size(); ++i) {
    if (!HasTrait(list.at(i), Trait::kAdd)) return NoSuchOverload();
    sum = Add(arena, sum, list.at(i));
    if (sum.is_error()) return sum;
  }
  return sum;
}
Value SumInts(Arena& arena, Args args) { return SumFrom(arena, Value::Int(0), args[0].list()); }
Value SumUints(Arena& arena, Args args) { return SumFrom(arena, Value::Uint(0), args[0].list()); }
Value SumDoubles(Arena& arena, Args args) { return SumFrom(arena, Value::Double(0), args[0].list()); }
Value SumDurations(Arena& arena, Args args) { return SumFrom(arena, Value::Duration(0), args[0].list()); }

// The last of those that `replaces` prefers, by the sign of the comparison with the best so far.
Value Best(Arena& arena, const List& list, int64_t replaces, std::string_view name) {
  SpendOn(arena, list);
  if (list.size() == 0) return Fail(arena, fmt::format("{} called on empty list", name));
  Value best;
  for (size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    if (!HasTrait(element, Trait::kCompare)) return NoSuchOverload();
    if (i > 0) {
      const Value order = Compare(arena, best, element);
      if (!order.Is(Kind::kInt) || order.integer() != replaces) continue;
    }
    best = element;
  }
  return best;
}
Value Max(Arena& arena, Args args) { return Best(arena, args[0].list(), -1, "max"); }
Value Min(Arena& arena, Args args) { return Best(arena, args[0].list(), 1, "min"); }

Value IndexOfElement(Arena& arena, Args args) {
  const List& list = args[0].list();
  for (size_t i = 0; i < list.size(); ++i) {
    if (EqualInside(arena, list.at(i), args[1]).is_true()) return Value::Int(static_cast<int64_t>(i));
  }
  return Value::Int(-1);
}

Value LastIndexOfElement(Arena& arena, Args args) {
  const List& list = args[0].list();
  for (size_t i = list.size(); i-- > 0;) {
    if (EqualInside(arena, list.at(i), args[1]).is_true()) return Value::Int(static_cast<int64_t>(i));
  }
  return Value::Int(-1);
}

// A single value counts as a list of one.
Value Includes(Arena& arena, Args args) {
  if (!args[0].Is(Kind::kList)) return Value::Bool(EqualInside(arena, args[0], args[1]).is_true());
  const List& list = args[0].list();
  for (size_t i = 0; i < list.size(); ++i) {
    if (EqualInside(arena, list.at(i), args[1]).is_true()) return Value::Bool(true);
  }
  return Value::Bool(false);
}

// Ids that hold the name of a type have the one that Go's types have; Kubernetes' lists have that of declarations.
#define BERTH_CEL_SORT(type, name)                                     \
  {"sort", "list_" name "_sort", "list(" type ").(): list(" type ")"}, \
      {"@sortByAssociatedKeys", "list_" name "_sortByAssociatedKeys", "list(T).(list(" type ")): list(T)"}
#define BERTH_CEL_ORDERED(type)                                                      \
  {"isSorted", "list_" type "_is_sorted_bool", "list(" type ").(): bool", IsSorted}, \
      {"max", "list_" type "_max_" type, "list(" type ").(): " type, Max}, {         \
    "min", "list_" type "_min_" type, "list(" type ").(): " type, Min                \
  }

constexpr Declaration kListFunctions[] = {
    {"slice", "list_slice", "list(T).(int, int): list(T)", Slice},
    {"flatten", "list_flatten", "list(list(T)).(): list(T)", Flatten},
    {"flatten", "list_flatten_int", "list(dyn).(int): list(dyn)", Flatten},
    BERTH_CEL_SORT("int", "int"),
    BERTH_CEL_SORT("uint", "uint"),
    BERTH_CEL_SORT("double", "double"),
    BERTH_CEL_SORT("bool", "bool"),
    BERTH_CEL_SORT("duration", "google.protobuf.Duration"),
    BERTH_CEL_SORT("timestamp", "google.protobuf.Timestamp"),
    BERTH_CEL_SORT("string", "string"),
    BERTH_CEL_SORT("bytes", "bytes"),
    {"lists.range", "lists_range", "(int): list(int)", Range},
    {"reverse", "list_reverse", "list(T).(): list(T)", Reverse},
    {"distinct", "list_distinct", "list(T).(): list(T)", Distinct},
    BERTH_CEL_ORDERED("int"),
    BERTH_CEL_ORDERED("uint"),
    BERTH_CEL_ORDERED("double"),
    BERTH_CEL_ORDERED("bool"),
    BERTH_CEL_ORDERED("duration"),
    BERTH_CEL_ORDERED("timestamp"),
    BERTH_CEL_ORDERED("string"),
    BERTH_CEL_ORDERED("bytes"),
    {"sum", "list_int_sum_int", "list(int).(): int", SumInts},
    {"sum", "list_uint_sum_uint", "list(uint).(): uint", SumUints},
    {"sum", "list_double_sum_double", "list(double).(): double", SumDoubles},
    {"sum", "list_duration_sum_duration", "list(duration).(): duration", SumDurations},
    {"indexOf", "list_a_index_of_int", "list(A).(A): int", IndexOfElement},
    {"lastIndexOf", "list_a_last_index_of_int", "list(A).(A): int", LastIndexOfElement},
};
#undef BERTH_CEL_SORT
#undef BERTH_CEL_ORDERED

constexpr Declaration kIncludes[] = {{"includes", "list_includes_dyn_dyn", "dyn.(dyn): bool", Includes}};

constexpr Operator kListOperators[] = {{"sort", Trait::kList, Sort}, {"@sortByAssociatedKeys", Trait::kList, Sort}};

bool ListContains(Arena& arena, const List& list, const Value& value) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (EqualInside(arena, value, list.at(i)).is_true()) return true;
  }
  return false;
}

bool ContainsAll(Arena& arena, const List& list, const List& part) {
  for (size_t i = 0; i < part.size(); ++i) {
    if (!ListContains(arena, list, part.at(i))) return false;
  }
  return true;
}

Value SetContains(Arena& arena, Args args) { return Value::Bool(ContainsAll(arena, args[0].list(), args[1].list())); }

Value SetEquivalent(Arena& arena, Args args) {
  const List& left = args[0].list();
  const List& right = args[1].list();
  return Value::Bool(ContainsAll(arena, left, right) && ContainsAll(arena, right, left));
}

Value SetIntersects(Arena& arena, Args args) {
  for (size_t i = 0; i < args[0].list().size(); ++i) {
    if (ListContains(arena, args[1].list(), args[0].list().at(i))) return Value::Bool(true);
  }
  return Value::Bool(false);
}

constexpr Declaration kSets[] = {
    {"sets.contains", "list_sets_contains_list", "(list(T), list(T)): bool", SetContains},
    {"sets.equivalent", "list_sets_equivalent_list", "(list(T), list(T)): bool", SetEquivalent},
    {"sets.intersects", "list_sets_intersects_list", "(list(T), list(T)): bool", SetIntersects},
};

}  // namespace

std::span<const Declaration> ListFunctions() { return kListFunctions; }
std::span<const Operator> ListOperators() { return kListOperators; }
std::span<const Declaration> IncludesFunction() { return kIncludes; }
std::span<const Declaration> SetFunctions() { return kSets; }

}  // namespace berth::cel
