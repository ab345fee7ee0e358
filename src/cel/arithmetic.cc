// SPDX-License-Identifier: Apache-2.0
// Sums, products and so on of values; whole numbers never wrap.
#include <algorithm>
#include <cmath>

#include "cel/clock_time.h"
#include "cel/containers.h"
#include "cel/operations.h"

namespace berth::cel {
namespace {

constexpr std::string_view kIntOverflow = "integer overflow";
constexpr std::string_view kUintOverflow = "unsigned integer overflow";

Value AddLists(Arena& arena, const Value& left, const Value& right) {
  const List& first = left.list();
  const List& second = right.list();
  if (first.make() == List::Make::kGrowing) {
    static_cast<const GrowingList&>(first).Append(arena, second);
    return left;
  }
  if (first.make() == List::Make::kDeclared) return first.Plus(arena, second);
  if (first.size() == 0) return right;
  if (second.size() == 0) return left;
  return Value::Of(arena.Make<JoinedList>(first, second));
}

Value AddTexts(Arena& arena, std::string_view left, std::string_view right, Value (*make)(std::string_view)) {
  const std::span<char> text = arena.Array<char>(left.size() + right.size());
  std::copy(right.begin(), right.end(), std::copy(left.begin(), left.end(), text.begin()));
  return make({text.data(), text.size()});
}

Value AddDurations(int64_t left, int64_t right) {
  int64_t sum = 0;
  return __builtin_add_overflow(left, right, &sum) ? Value::Error(kIntOverflow) : Value::Duration(sum);
}

}  // namespace

Value Add(Arena& arena, const Value& left, const Value& right) {
  if (left.Is(Kind::kDuration) && right.Is(Kind::kTimestamp))
    return AddToTime(right.timestamp(), left.duration_nanos());
  if (left.Is(Kind::kTimestamp)) {
    return right.Is(Kind::kDuration) ? AddToTime(left.timestamp(), right.duration_nanos()) : NoSuchOverload();
  }
  if (left.kind() != right.kind()) return NoSuchOverload();
  switch (left.kind()) {
    case Kind::kInt: {
      int64_t sum = 0;
      return __builtin_add_overflow(left.integer(), right.integer(), &sum) ? Value::Error(kIntOverflow)
                                                                           : Value::Int(sum);
    }
    case Kind::kUint: {
      uint64_t sum = 0;
      const bool overflows = __builtin_add_overflow(left.unsigned_integer(), right.unsigned_integer(), &sum);
      return overflows ? Value::Error(kUintOverflow) : Value::Uint(sum);
    }
    case Kind::kDouble: return Value::Double(left.real() + right.real());
    case Kind::kString: return AddTexts(arena, left.string(), right.string(), &Value::String);
    case Kind::kBytes: return AddTexts(arena, left.bytes(), right.bytes(), &Value::Bytes);
    case Kind::kDuration: return AddDurations(left.duration_nanos(), right.duration_nanos());
    case Kind::kList: return AddLists(arena, left, right);
    default: return NoSuchOverload();
  }
}

Value Subtract(const Value& left, const Value& right) {
  if (left.Is(Kind::kTimestamp)) {
    if (right.Is(Kind::kTimestamp)) return TimeBetween(left.timestamp(), right.timestamp());
    if (!right.Is(Kind::kDuration)) return NoSuchOverload();
    const int64_t nanos = right.duration_nanos();
    return nanos == INT64_MIN ? Value::Error(kIntOverflow) : AddToTime(left.timestamp(), -nanos);
  }
  if (left.kind() != right.kind()) return NoSuchOverload();
  switch (left.kind()) {
    case Kind::kInt: {
      int64_t difference = 0;
      const bool overflows = __builtin_sub_overflow(left.integer(), right.integer(), &difference);
      return overflows ? Value::Error(kIntOverflow) : Value::Int(difference);
    }
    case Kind::kUint: {
      const uint64_t a = left.unsigned_integer();
      const uint64_t b = right.unsigned_integer();
      return b > a ? Value::Error(kUintOverflow) : Value::Uint(a - b);
    }
    case Kind::kDouble: return Value::Double(left.real() - right.real());
    case Kind::kDuration: {
      int64_t difference = 0;
      const bool overflows = __builtin_sub_overflow(left.duration_nanos(), right.duration_nanos(), &difference);
      return overflows ? Value::Error(kIntOverflow) : Value::Duration(difference);
    }
    default: return NoSuchOverload();
  }
}

Value Multiply(const Value& left, const Value& right) {
  if (left.kind() != right.kind()) return NoSuchOverload();
  switch (left.kind()) {
    case Kind::kInt: {
      int64_t product = 0;
      const bool overflows = __builtin_mul_overflow(left.integer(), right.integer(), &product);
      return overflows ? Value::Error(kIntOverflow) : Value::Int(product);
    }
    case Kind::kUint: {
      uint64_t product = 0;
      const bool overflows = __builtin_mul_overflow(left.unsigned_integer(), right.unsigned_integer(), &product);
      return overflows ? Value::Error(kUintOverflow) : Value::Uint(product);
    }
    case Kind::kDouble: return Value::Double(left.real() * right.real());
    default: return NoSuchOverload();
  }
}

Value Divide(const Value& left, const Value& right) {
  if (left.kind() != right.kind()) return NoSuchOverload();
  switch (left.kind()) {
    case Kind::kInt:
      if (right.integer() == 0) return Value::Error("division by zero");
      if (left.integer() == INT64_MIN && right.integer() == -1) return Value::Error(kIntOverflow);
      return Value::Int(left.integer() / right.integer());
    case Kind::kUint:
      if (right.unsigned_integer() == 0) return Value::Error("division by zero");
      return Value::Uint(left.unsigned_integer() / right.unsigned_integer());
    case Kind::kDouble: return Value::Double(left.real() / right.real());
    default: return NoSuchOverload();
  }
}

Value Modulo(const Value& left, const Value& right) {
  if (left.kind() != right.kind()) return NoSuchOverload();
  if (left.Is(Kind::kInt)) {
    if (right.integer() == 0) return Value::Error("modulus by zero");
    if (left.integer() == INT64_MIN && right.integer() == -1) return Value::Error(kIntOverflow);
    return Value::Int(left.integer() % right.integer());
  }
  if (!left.Is(Kind::kUint)) return NoSuchOverload();
  if (right.unsigned_integer() == 0) return Value::Error("modulus by zero");
  return Value::Uint(left.unsigned_integer() % right.unsigned_integer());
}

Value Negate(const Value& value) {
  if (value.Is(Kind::kDouble)) return Value::Double(-value.real());
  const bool is_int = value.Is(Kind::kInt);
  if (!is_int && !value.Is(Kind::kDuration)) return NoSuchOverload();
  const int64_t number = is_int ? value.integer() : value.duration_nanos();
  if (number == INT64_MIN) return Value::Error(kIntOverflow);
  return is_int ? Value::Int(-number) : Value::Duration(-number);
}

}  // namespace berth::cel
