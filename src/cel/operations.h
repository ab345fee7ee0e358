// SPDX-License-Identifier: Apache-2.0
// What can be done with values of any kind: name their type, compare, add, convert and print them.
//
// Errors of operands were dealt with before; an operation that fails returns an error value.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cel/arena.h"
#include "cel/value.h"

namespace berth::cel {

// An error value with a text of the arena.
Value Fail(Arena& arena, std::string_view message);
Value NoSuchOverload();

// The name of the value's type, such as int or kubernetes.Quantity.
std::string_view TypeName(const Value& value);
// The Go type that upstream holds such a value in; some of its messages show it.
std::string_view GoTypeName(const Value& value);

// What kinds of values are capable of, as far as operators ask.
enum class Trait : uint8_t {
  kNone,
  kAdd,
  kCompare,
  kDivide,
  kModulo,
  kMultiply,
  kNegate,
  kSubtract,
  kSize,
  kMatch,
  kList
};
bool HasTrait(const Value& value, Trait trait);
// Values that get a chance to answer operators they do not have, and decline.
bool IsReceiver(const Value& value);

// left == right: true, false, or an error where upstream has one.
Value Equal(Arena& arena, const Value& left, const Value& right);
// The same as values compare among themselves, without the rule that null is like nothing else.
Value EqualInside(Arena& arena, const Value& left, const Value& right);
// Int -1, 0 or 1, or an error. REQUIRES: the left has the trait.
Value Compare(Arena& arena, const Value& left, const Value& right);
bool IsZero(const Value& value);

Value Add(Arena& arena, const Value& left, const Value& right);
Value Subtract(const Value& left, const Value& right);
Value Multiply(const Value& left, const Value& right);
Value Divide(const Value& left, const Value& right);
Value Modulo(const Value& left, const Value& right);
Value Negate(const Value& value);

// The number of characters, bytes or elements; 1 for all that has no size.
uint64_t SizeOf(const Value& value);
uint64_t CountCharacters(std::string_view text);

// Conversion by int(), string() and so on; the type is the function's result.
Value ToBool(Arena& arena, const Value& value);
Value ToInt(Arena& arena, const Value& value);
Value ToUint(Arena& arena, const Value& value);
Value ToDouble(Arena& arena, const Value& value);
Value ToText(Arena& arena, const Value& value);
Value ToBytes(Arena& arena, const Value& value);
Value ToDuration(Arena& arena, const Value& value);
Value ToTimestamp(Arena& arena, const Value& value);

// The value as Go's %v prints it, for messages.
std::string GoText(Arena& arena, const Value& value);

}  // namespace berth::cel
