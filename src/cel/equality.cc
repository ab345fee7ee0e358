// SPDX-License-Identifier: Apache-2.0
// Equality and order of values, and their sizes.
#include <cmath>

#include "cel/containers.h"
#include "cel/made_objects.h"
#include "cel/named_format.h"
#include "cel/network.h"
#include "cel/numbers.h"
#include "cel/operations.h"
#include "cel/semver.h"
#include "cel/url.h"

namespace berth::cel {
namespace {

// Of numbers of any two types; nothing if one is NaN or no number.
std::optional<int> CompareNumbers(const Value& left, const Value& right) {
  if (left.Is(Kind::kDouble)) {
    if (std::isnan(left.real())) return std::nullopt;
    if (right.Is(Kind::kDouble)) {
      return std::isnan(right.real()) ? std::nullopt : std::optional(Compare(left.real(), right.real()));
    }
    if (right.Is(Kind::kInt)) return Compare(left.real(), right.integer());
    if (right.Is(Kind::kUint)) return Compare(left.real(), right.unsigned_integer());
    return std::nullopt;
  }
  if (right.Is(Kind::kDouble)) {
    const std::optional<int> reversed = CompareNumbers(right, left);
    return reversed ? std::optional(-*reversed) : std::nullopt;
  }
  if (left.Is(Kind::kInt)) {
    if (right.Is(Kind::kInt)) return left.integer() < right.integer() ? -1 : left.integer() > right.integer() ? 1 : 0;
    if (right.Is(Kind::kUint)) return Compare(left.integer(), right.unsigned_integer());
  } else if (left.Is(Kind::kUint)) {
    if (right.Is(Kind::kInt)) return -Compare(right.integer(), left.unsigned_integer());
    if (right.Is(Kind::kUint)) {
      const uint64_t a = left.unsigned_integer();
      const uint64_t b = right.unsigned_integer();
      return a < b ? -1 : a > b ? 1 : 0;
    }
  }
  return std::nullopt;
}

int Sign(int number) { return number < 0 ? -1 : number > 0 ? 1 : 0; }

int CompareTimes(const Timestamp& left, const Timestamp& right) {
  if (left.seconds != right.seconds) return left.seconds < right.seconds ? -1 : 1;
  return left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0;
}

Value EqualLists(Arena& arena, const List& left, const List& right) {
  if (left.make() == List::Make::kDeclared) return left.EqualTo(arena, right);
  if (left.size() != right.size()) return Value::Bool(false);
  Value error = Value::Bool(true);
  for (size_t i = 0; i < left.size(); ++i) {
    arena.Spend(left.depth() + right.depth());
    const Value equal = Equal(arena, left.at(i), right.at(i));
    if (equal.is_false()) return equal;
    // Joined lists tell that elements could not be compared, others take it for equal.
    if (equal.is_error() && !error.is_error() && left.make() == List::Make::kJoined) error = equal;
  }
  return error;
}

Value EqualMaps(Arena& arena, const Map& left, const Map& right) {
  if (left.source() != nullptr) return left.source()->Equal(arena, left, right);
  if (left.size() != right.size()) return Value::Bool(false);
  for (const Map::Entry& entry : left.entries()) {
    Value other;
    if (!right.FindOrFallback(entry.key, other)) return Value::Bool(false);
    const Value equal = Equal(arena, entry.value, other);
    if (equal.is_false()) return equal;
  }
  return Value::Bool(true);
}

}  // namespace

Value Equal(Arena& arena, const Value& left, const Value& right) {
  if (left.Is(Kind::kNull) || right.Is(Kind::kNull)) return Value::Bool(left.kind() == right.kind());
  return EqualInside(arena, left, right);
}

Value EqualInside(Arena& arena, const Value& left, const Value& right) {
  arena.Spend(1);
  const bool is_same_kind = left.kind() == right.kind();
  switch (left.kind()) {
    case Kind::kError: return left;
    case Kind::kNull: return Value::Bool(is_same_kind);
    case Kind::kBool: return Value::Bool(is_same_kind && left.boolean() == right.boolean());
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble: return Value::Bool(CompareNumbers(left, right) == 0);
    case Kind::kString: return Value::Bool(is_same_kind && left.string() == right.string());
    case Kind::kBytes: return Value::Bool(is_same_kind && left.bytes() == right.bytes());
    case Kind::kDuration: return Value::Bool(is_same_kind && left.duration_nanos() == right.duration_nanos());
    case Kind::kTimestamp: return Value::Bool(is_same_kind && CompareTimes(left.timestamp(), right.timestamp()) == 0);
    case Kind::kList: return is_same_kind ? EqualLists(arena, left.list(), right.list()) : Value::Bool(false);
    case Kind::kMap: return is_same_kind ? EqualMaps(arena, left.map(), right.map()) : Value::Bool(false);
    case Kind::kType: return Value::Bool(is_same_kind && left.type_name() == right.type_name());
    case Kind::kOptional: {
      if (!is_same_kind) return Value::Bool(false);
      if (left.optional() == nullptr || right.optional() == nullptr) {
        return Value::Bool(left.optional() == right.optional());
      }
      return EqualInside(arena, *left.optional(), *right.optional());
    }
    case Kind::kObject: return is_same_kind ? EqualObjects(arena, left.object(), right.object()) : Value::Bool(false);
    default: break;
  }
  // Kubernetes' own types refuse what is not like them.
  if (right.is_error()) return right;
  if (!is_same_kind || right.is_computed_quantity()) return NoSuchOverload();
  switch (left.kind()) {
    case Kind::kQuantity: return Value::Bool(left.quantity() == right.quantity());
    case Kind::kSemver: return Value::Bool(left.semver().Compare(right.semver()) == 0);
    case Kind::kUrl: return Value::Bool(left.url().String() == right.url().String());
    case Kind::kIp: return Value::Bool(left.ip() == right.ip());
    case Kind::kCidr: return Value::Bool(left.cidr() == right.cidr());
    default: return Value::Bool(left.format().name == right.format().name);
  }
}

Value Compare(Arena& arena, const Value& left, const Value& right) {
  switch (left.kind()) {
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble: {
      if (const std::optional<int> order = CompareNumbers(left, right)) return Value::Int(*order);
      const bool is_nan =
          (left.Is(Kind::kDouble) && std::isnan(left.real())) || (right.Is(Kind::kDouble) && std::isnan(right.real()));
      return is_nan ? Fail(arena, "NaN values cannot be ordered") : NoSuchOverload();
    }
    default: break;
  }
  if (left.kind() != right.kind()) return NoSuchOverload();
  switch (left.kind()) {
    case Kind::kBool: return Value::Int(int{left.boolean()} - int{right.boolean()});
    case Kind::kString: return Value::Int(Sign(left.string().compare(right.string())));
    case Kind::kBytes: return Value::Int(Sign(left.bytes().compare(right.bytes())));
    case Kind::kDuration:
      return Value::Int(left.duration_nanos() < right.duration_nanos()   ? -1
                        : left.duration_nanos() > right.duration_nanos() ? 1
                                                                         : 0);
    case Kind::kTimestamp: return Value::Int(CompareTimes(left.timestamp(), right.timestamp()));
    default: return NoSuchOverload();
  }
}

uint64_t SizeOf(const Value& value) {
  switch (value.kind()) {
    case Kind::kString: return CountCharacters(value.string());
    case Kind::kBytes: return value.bytes().size();
    case Kind::kList: return value.list().size();
    case Kind::kMap: return value.map().size();
    case Kind::kIp: return value.ip().is_v4 ? 4 : 16;
    case Kind::kCidr: return (value.cidr().bits + 7) / 8;
    default: return 1;
  }
}

}  // namespace berth::cel
