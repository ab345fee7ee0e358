// SPDX-License-Identifier: Apache-2.0
// Value: what an expression works with, from a bool to a map.
//
// A value is 16 bytes and copied freely. Numbers are in it; texts, lists and all else are pointed to and belong to an
// arena, a compiled program or a device. An error is a value too: it passes through operations and can be absorbed by
// `||` and `&&`.

#pragma once

#include <cstdint>
#include <string_view>

#include "api/parts/quantity.h"
#include "base/assert.h"

namespace berth::cel {

class List;
class Map;
struct Cidr;
struct IpAddress;
struct MadeObject;
struct NamedFormat;
struct Semver;
struct Url;

enum class Kind : uint8_t {
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,
  kTimestamp,
  kList,
  kMap,
  kType,
  kOptional,
  kQuantity,
  kSemver,
  kUrl,
  kIp,
  kCidr,
  kFormat,
  kObject,
};

// An instant of the years 1 to 9999, with the offset of the zone it was written in.
struct Timestamp {
  int64_t seconds = 0;  // Since the Unix epoch.
  uint32_t nanos = 0;
  int16_t zone_minutes = 0;
};

class Value {
 public:
  Value() = default;  // Null.

  static Value Error(std::string_view message) { return Value(Kind::kError, message); }
  static Value Bool(bool value) { return Value(Kind::kBool, int64_t{value}); }
  static Value Int(int64_t value) { return Value(Kind::kInt, value); }
  static Value Uint(uint64_t value) { return Value(Kind::kUint, static_cast<int64_t>(value)); }
  static Value Double(double value) {
    Value result(Kind::kDouble, int64_t{0});
    result.double_ = value;
    return result;
  }
  static Value String(std::string_view text) { return Value(Kind::kString, text); }
  static Value Bytes(std::string_view bytes) { return Value(Kind::kBytes, bytes); }
  static Value Duration(int64_t nanos) { return Value(Kind::kDuration, nanos); }
  static Value Time(Timestamp time) {
    Value result(Kind::kTimestamp, time.seconds);
    result.extra_ = time.nanos;
    result.zone_ = time.zone_minutes;
    return result;
  }
  static Value Of(const List* list) { return Value(Kind::kList, list); }
  static Value Of(const Map* map) { return Value(Kind::kMap, map); }
  // The name of a type is not copied.
  static Value Type(std::string_view name) { return Value(Kind::kType, name); }
  // nullptr: optional.none().
  static Value Optional(const Value* value) { return Value(Kind::kOptional, value); }
  // Upstream tells the results of arithmetic from other quantities, and finds them unlike when it compares.
  static Value Of(const api::Quantity* quantity, bool is_computed = false) {
    Value result(Kind::kQuantity, quantity);
    result.flag_ = is_computed;
    return result;
  }
  static Value Of(const Semver* version) { return Value(Kind::kSemver, version); }
  static Value Of(const Url* url) { return Value(Kind::kUrl, url); }
  static Value Of(const IpAddress* address) { return Value(Kind::kIp, address); }
  static Value Of(const Cidr* cidr) { return Value(Kind::kCidr, cidr); }
  static Value Of(const NamedFormat* format) { return Value(Kind::kFormat, format); }
  static Value Of(const MadeObject* object) { return Value(Kind::kObject, object); }

  Kind kind() const { return kind_; }
  bool Is(Kind kind) const { return kind_ == kind; }
  bool is_error() const { return kind_ == Kind::kError; }
  bool is_true() const { return kind_ == Kind::kBool && int_ != 0; }
  bool is_false() const { return kind_ == Kind::kBool && int_ == 0; }

  // REQUIRES: the value is of that kind.
  std::string_view message() const { return Text(Kind::kError); }
  bool boolean() const { return Number(Kind::kBool) != 0; }
  int64_t integer() const { return Number(Kind::kInt); }
  uint64_t unsigned_integer() const { return static_cast<uint64_t>(Number(Kind::kUint)); }
  double real() const {
    BERTH_DASSERT(kind_ == Kind::kDouble);
    return double_;
  }
  std::string_view string() const { return Text(Kind::kString); }
  std::string_view bytes() const { return Text(Kind::kBytes); }
  int64_t duration_nanos() const { return Number(Kind::kDuration); }
  Timestamp timestamp() const { return {Number(Kind::kTimestamp), extra_, zone_}; }
  const List& list() const { return *Pointer<List>(Kind::kList); }
  const Map& map() const { return *Pointer<Map>(Kind::kMap); }
  std::string_view type_name() const { return Text(Kind::kType); }
  const Value* optional() const { return Pointer<Value>(Kind::kOptional); }
  const api::Quantity& quantity() const { return *Pointer<api::Quantity>(Kind::kQuantity); }
  bool is_computed_quantity() const { return kind_ == Kind::kQuantity && flag_; }
  const Semver& semver() const { return *Pointer<Semver>(Kind::kSemver); }
  const Url& url() const { return *Pointer<Url>(Kind::kUrl); }
  const IpAddress& ip() const { return *Pointer<IpAddress>(Kind::kIp); }
  const Cidr& cidr() const { return *Pointer<Cidr>(Kind::kCidr); }
  const NamedFormat& format() const { return *Pointer<NamedFormat>(Kind::kFormat); }
  const MadeObject& object() const { return *Pointer<MadeObject>(Kind::kObject); }

  // Whatever it points to, to tell objects apart.
  const void* identity() const { return pointer_; }

 private:
  Value(Kind kind, int64_t number) : kind_(kind), int_(number) {}
  Value(Kind kind, const void* pointer) : kind_(kind), pointer_(pointer) {}
  Value(Kind kind, std::string_view text)
      : kind_(kind), extra_(static_cast<uint32_t>(text.size())), pointer_(text.data()) {}

  int64_t Number([[maybe_unused]] Kind kind) const {
    BERTH_DASSERT(kind_ == kind);
    return int_;
  }
  template <class T>
  const T* Pointer([[maybe_unused]] Kind kind) const {
    BERTH_DASSERT(kind_ == kind);
    return static_cast<const T*>(pointer_);
  }
  std::string_view Text(Kind kind) const { return {Pointer<char>(kind), extra_}; }

  Kind kind_ = Kind::kNull;
  bool flag_ = false;
  int16_t zone_ = 0;
  uint32_t extra_ = 0;  // The size of a text, or nanoseconds.
  union {
    int64_t int_ = 0;
    double double_;
    const void* pointer_;
  };
};
static_assert(sizeof(Value) == 16);

}  // namespace berth::cel
