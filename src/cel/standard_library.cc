// SPDX-License-Identifier: Apache-2.0
// The functions and operators of the language itself.
#include <fmt/format.h>

#include "cel/clock_time.h"
#include "cel/containers.h"
#include "cel/library.h"
#include "cel/regex.h"

namespace berth::cel {
namespace {

template <Value (*operation)(Arena&, const Value&)>
Value Unary(Arena& arena, Args args) {
  return operation(arena, args[0]);
}

Value Same(Arena&, Args args) { return args[0]; }

Value TypeOfValue(Arena&, Args args) { return Value::Type(TypeName(args[0])); }

bool IsLess(int64_t order) { return order < 0; }
bool IsLessOrEqual(int64_t order) { return order <= 0; }
bool IsGreater(int64_t order) { return order > 0; }
bool IsGreaterOrEqual(int64_t order) { return order >= 0; }

template <bool (*decide)(int64_t)>
Value Ordered(Arena& arena, Args args) {
  const Value order = Compare(arena, args[0], args[1]);
  return order.is_error() ? order : Value::Bool(decide(order.integer()));
}

Value In(Arena& arena, Args args) {
  if (args[1].Is(Kind::kMap)) return Value::Bool(args[1].map().Find(args[0]) != nullptr);
  if (!args[1].Is(Kind::kList)) return NoSuchOverload();
  const List& list = args[1].list();
  for (size_t i = 0; i < list.size(); ++i) {
    if (EqualInside(arena, args[0], list.at(i)).is_true()) return Value::Bool(true);
  }
  return Value::Bool(false);
}

Value Not(Arena&, Args args) { return args[0].Is(Kind::kBool) ? Value::Bool(!args[0].boolean()) : NoSuchOverload(); }

Value NotStrictlyFalse(Arena&, Args args) { return args[0].Is(Kind::kBool) ? args[0] : Value::Bool(true); }

Value Size(Arena&, Args args) { return Value::Int(static_cast<int64_t>(SizeOf(args[0]))); }

Value Matches(Arena& arena, Args args) {
  if (!args[1].Is(Kind::kString)) return NoSuchOverload();
  const Result<Regex> regex = Regex::Compile(args[1].string());
  if (!regex) return Fail(arena, regex.error().message);
  return Value::Bool(regex->Matches(args[0].string()));
}

template <bool (*test)(std::string_view, std::string_view)>
Value TestText(Arena&, Args args) {
  if (!args[0].Is(Kind::kString) || !args[1].Is(Kind::kString)) return NoSuchOverload();
  return Value::Bool(test(args[0].string(), args[1].string()));
}

bool HasPart(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
bool HasPrefix(std::string_view text, std::string_view prefix) { return text.starts_with(prefix); }
bool HasSuffix(std::string_view text, std::string_view suffix) { return text.ends_with(suffix); }

constexpr Declaration kStandardFunctions[] = {
    {"_?_:_", "conditional", "(bool, A, A): A"},
    {"_&&_", "logical_and", "(bool, bool): bool"},
    {"_||_", "logical_or", "(bool, bool): bool"},
    {"!_", "logical_not", "(bool): bool"},
    {"@not_strictly_false", "not_strictly_false", "(bool): bool", NotStrictlyFalse},
    {"_==_", "equals", "(A, A): bool"},
    {"_!=_", "not_equals", "(A, A): bool"},

    {"_+_", "add_bytes", "(bytes, bytes): bytes"},
    {"_+_", "add_double", "(double, double): double"},
    {"_+_", "add_duration_duration", "(duration, duration): duration"},
    {"_+_", "add_duration_timestamp", "(duration, timestamp): timestamp"},
    {"_+_", "add_timestamp_duration", "(timestamp, duration): timestamp"},
    {"_+_", "add_int64", "(int, int): int"},
    {"_+_", "add_list", "(list(A), list(A)): list(A)"},
    {"_+_", "add_string", "(string, string): string"},
    {"_+_", "add_uint64", "(uint, uint): uint"},
    {"_/_", "divide_double", "(double, double): double"},
    {"_/_", "divide_int64", "(int, int): int"},
    {"_/_", "divide_uint64", "(uint, uint): uint"},
    {"_%_", "modulo_int64", "(int, int): int"},
    {"_%_", "modulo_uint64", "(uint, uint): uint"},
    {"_*_", "multiply_double", "(double, double): double"},
    {"_*_", "multiply_int64", "(int, int): int"},
    {"_*_", "multiply_uint64", "(uint, uint): uint"},
    {"-_", "negate_double", "(double): double"},
    {"-_", "negate_int64", "(int): int"},
    {"_-_", "subtract_double", "(double, double): double"},
    {"_-_", "subtract_duration_duration", "(duration, duration): duration"},
    {"_-_", "subtract_int64", "(int, int): int"},
    {"_-_", "subtract_timestamp_duration", "(timestamp, duration): timestamp"},
    {"_-_", "subtract_timestamp_timestamp", "(timestamp, timestamp): duration"},
    {"_-_", "subtract_uint64", "(uint, uint): uint"},

#define BERTH_CEL_ORDER(symbol, name)                                                                                 \
  {symbol, name "_bool", "(bool, bool): bool"}, {symbol, name "_int64", "(int, int): bool"},                          \
      {symbol, name "_int64_double", "(int, double): bool"}, {symbol, name "_int64_uint64", "(int, uint): bool"},     \
      {symbol, name "_uint64", "(uint, uint): bool"}, {symbol, name "_uint64_double", "(uint, double): bool"},        \
      {symbol, name "_uint64_int64", "(uint, int): bool"}, {symbol, name "_double", "(double, double): bool"},        \
      {symbol, name "_double_int64", "(double, int): bool"}, {symbol, name "_double_uint64", "(double, uint): bool"}, \
      {symbol, name "_string", "(string, string): bool"}, {symbol, name "_bytes", "(bytes, bytes): bool"},            \
      {symbol, name "_timestamp", "(timestamp, timestamp): bool"},                                                    \
      {symbol, name "_duration", "(duration, duration): bool"}
    BERTH_CEL_ORDER("_<_", "less"),
    BERTH_CEL_ORDER("_<=_", "less_equals"),
    BERTH_CEL_ORDER("_>_", "greater"),
    BERTH_CEL_ORDER("_>=_", "greater_equals"),
#undef BERTH_CEL_ORDER

    {"_[_]", "index_list", "(list(A), int): A"},
    {"_[_]", "index_map", "(map(A, B), A): B"},
    {"@in", "in_list", "(A, list(A)): bool"},
    {"@in", "in_map", "(A, map(A, B)): bool"},
    {"size", "size_bytes", "(bytes): int"},
    {"size", "bytes_size", "bytes.(): int"},
    {"size", "size_list", "(list(A)): int"},
    {"size", "list_size", "list(A).(): int"},
    {"size", "size_map", "(map(A, B)): int"},
    {"size", "map_size", "map(A, B).(): int"},
    {"size", "size_string", "(string): int"},
    {"size", "string_size", "string.(): int"},

    {"type", "type", "(A): type(A)"},
    {"dyn", "to_dyn", "(A): dyn"},
    {"bool", "bool_to_bool", "(bool): bool", Same},
    {"bool", "string_to_bool", "(string): bool", Unary<ToBool>},
    {"bytes", "bytes_to_bytes", "(bytes): bytes", Same},
    {"bytes", "string_to_bytes", "(string): bytes", Unary<ToBytes>},
    {"double", "double_to_double", "(double): double", Same},
    {"double", "int64_to_double", "(int): double", Unary<ToDouble>},
    {"double", "string_to_double", "(string): double", Unary<ToDouble>},
    {"double", "uint64_to_double", "(uint): double", Unary<ToDouble>},
    {"duration", "duration_to_duration", "(duration): duration", Same},
    {"duration", "string_to_duration", "(string): duration", Unary<ToDuration>},
    {"int", "int64_to_int64", "(int): int", Same},
    {"int", "double_to_int64", "(double): int", Unary<ToInt>},
    {"int", "duration_to_int64", "(duration): int", Unary<ToInt>},
    {"int", "string_to_int64", "(string): int", Unary<ToInt>},
    {"int", "timestamp_to_int64", "(timestamp): int", Unary<ToInt>},
    {"int", "uint64_to_int64", "(uint): int", Unary<ToInt>},
    {"string", "string_to_string", "(string): string", Same},
    {"string", "bool_to_string", "(bool): string", Unary<ToText>},
    {"string", "bytes_to_string", "(bytes): string", Unary<ToText>},
    {"string", "double_to_string", "(double): string", Unary<ToText>},
    {"string", "duration_to_string", "(duration): string", Unary<ToText>},
    {"string", "int64_to_string", "(int): string", Unary<ToText>},
    {"string", "timestamp_to_string", "(timestamp): string", Unary<ToText>},
    {"string", "uint64_to_string", "(uint): string", Unary<ToText>},
    {"timestamp", "timestamp_to_timestamp", "(timestamp): timestamp", Same},
    {"timestamp", "int64_to_timestamp", "(int): timestamp", Unary<ToTimestamp>},
    {"timestamp", "string_to_timestamp", "(string): timestamp", Unary<ToTimestamp>},
    {"uint", "uint64_to_uint64", "(uint): uint", Same},
    {"uint", "double_to_uint64", "(double): uint", Unary<ToUint>},
    {"uint", "int64_to_uint64", "(int): uint", Unary<ToUint>},
    {"uint", "string_to_uint64", "(string): uint", Unary<ToUint>},

    {"contains", "contains_string", "string.(string): bool", TestText<HasPart>},
    {"endsWith", "ends_with_string", "string.(string): bool", TestText<HasSuffix>},
    {"startsWith", "starts_with_string", "string.(string): bool", TestText<HasPrefix>},
    {"matches", "matches", "(string, string): bool"},
    {"matches", "matches_string", "string.(string): bool"},
};

template <Value (*operation)(const Value&, const Value&)>
Value Binary(Arena&, Args args) {
  return operation(args[0], args[1]);
}

constexpr Operator kStandardOperators[] = {
    {"!_", Trait::kNone, Not},
    {"_+_", Trait::kAdd, [](Arena& arena, Args args) { return Add(arena, args[0], args[1]); }},
    {"_/_", Trait::kDivide, Binary<Divide>},
    {"_%_", Trait::kModulo, Binary<Modulo>},
    {"_*_", Trait::kMultiply, Binary<Multiply>},
    {"-_", Trait::kNegate, [](Arena&, Args args) { return Negate(args[0]); }},
    {"_-_", Trait::kSubtract, Binary<Subtract>},
    {"_<_", Trait::kCompare, Ordered<IsLess>},
    {"_<=_", Trait::kCompare, Ordered<IsLessOrEqual>},
    {"_>_", Trait::kCompare, Ordered<IsGreater>},
    {"_>=_", Trait::kCompare, Ordered<IsGreaterOrEqual>},
    {"@in", Trait::kNone, In},
    {"size", Trait::kSize, Size},
    {"type", Trait::kNone, TypeOfValue},
    {"dyn", Trait::kNone, Same},
    {"matches", Trait::kMatch, Matches},
};

// A field of a timestamp on the calendar of a zone, UTC if none is given.
template <int64_t CalendarTime::* field, int64_t shift = 0>
Value CalendarField(Arena& arena, Args args) {
  const Result<CalendarTime> time = InZone(args[0].timestamp(), args.size() > 1 ? args[1].string() : "UTC");
  if (!time) return Fail(arena, time.error().message);
  return Value::Int((*time).*field + shift);
}

Value Milliseconds(Arena& arena, Args args) {
  if (args[0].Is(Kind::kDuration)) return Value::Int(args[0].duration_nanos() / 1'000'000);
  const Result<CalendarTime> time = InZone(args[0].timestamp(), args.size() > 1 ? args[1].string() : "UTC");
  if (!time) return Fail(arena, time.error().message);
  return Value::Int(args[0].timestamp().nanos / 1'000'000);
}

// Through a floating-point number, as Go has it.
template <int64_t unit>
Value DurationIn(Arena&, Args args) {
  const int64_t nanos = args[0].duration_nanos();
  const double whole = static_cast<double>(nanos / unit);
  return Value::Int(static_cast<int64_t>(whole + static_cast<double>(nanos % unit) / static_cast<double>(unit)));
}

constexpr Declaration kTimes[] = {
    {"getFullYear", "timestamp_to_year", "timestamp.(): int", CalendarField<&CalendarTime::year>},
    {"getFullYear", "timestamp_to_year_with_tz", "timestamp.(string): int", CalendarField<&CalendarTime::year>},
    {"getMonth", "timestamp_to_month", "timestamp.(): int", CalendarField<&CalendarTime::month>},
    {"getMonth", "timestamp_to_month_with_tz", "timestamp.(string): int", CalendarField<&CalendarTime::month>},
    {"getDayOfYear", "timestamp_to_day_of_year", "timestamp.(): int", CalendarField<&CalendarTime::day_of_year>},
    {"getDayOfYear", "timestamp_to_day_of_year_with_tz", "timestamp.(string): int",
     CalendarField<&CalendarTime::day_of_year>},
    {"getDayOfMonth", "timestamp_to_day_of_month", "timestamp.(): int", CalendarField<&CalendarTime::day, -1>},
    {"getDayOfMonth", "timestamp_to_day_of_month_with_tz", "timestamp.(string): int",
     CalendarField<&CalendarTime::day, -1>},
    {"getDate", "timestamp_to_day_of_month_1_based", "timestamp.(): int", CalendarField<&CalendarTime::day>},
    {"getDate", "timestamp_to_day_of_month_1_based_with_tz", "timestamp.(string): int",
     CalendarField<&CalendarTime::day>},
    {"getDayOfWeek", "timestamp_to_day_of_week", "timestamp.(): int", CalendarField<&CalendarTime::day_of_week>},
    {"getDayOfWeek", "timestamp_to_day_of_week_with_tz", "timestamp.(string): int",
     CalendarField<&CalendarTime::day_of_week>},
    {"getHours", "timestamp_to_hours", "timestamp.(): int", CalendarField<&CalendarTime::hours>},
    {"getHours", "timestamp_to_hours_with_tz", "timestamp.(string): int", CalendarField<&CalendarTime::hours>},
    {"getHours", "duration_to_hours", "duration.(): int", DurationIn<3'600'000'000'000>},
    {"getMinutes", "timestamp_to_minutes", "timestamp.(): int", CalendarField<&CalendarTime::minutes>},
    {"getMinutes", "timestamp_to_minutes_with_tz", "timestamp.(string): int", CalendarField<&CalendarTime::minutes>},
    {"getMinutes", "duration_to_minutes", "duration.(): int", DurationIn<60'000'000'000>},
    {"getSeconds", "timestamp_to_seconds", "timestamp.(): int", CalendarField<&CalendarTime::seconds>},
    {"getSeconds", "timestamp_to_seconds_tz", "timestamp.(string): int", CalendarField<&CalendarTime::seconds>},
    {"getSeconds", "duration_to_seconds", "duration.(): int", DurationIn<1'000'000'000>},
    {"getMilliseconds", "timestamp_to_milliseconds", "timestamp.(): int", Milliseconds},
    {"getMilliseconds", "timestamp_to_milliseconds_with_tz", "timestamp.(string): int", Milliseconds},
    {"getMilliseconds", "duration_to_milliseconds", "duration.(): int", Milliseconds},
};

}  // namespace

std::span<const Declaration> StandardFunctions() { return kStandardFunctions; }
std::span<const Operator> StandardOperators() { return kStandardOperators; }
std::span<const Declaration> TimeFunctions() { return kTimes; }

}  // namespace berth::cel
