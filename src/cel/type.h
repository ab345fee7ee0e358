// SPDX-License-Identifier: Apache-2.0
// Type and TypeTable: static types, such as list(int).
//
// A table holds each type once, so that types of one table are the same if their addresses are.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace berth::cel {

enum class TypeKind : uint8_t {
  kAny,
  kBool,
  kBytes,
  kDouble,
  kDuration,
  kDyn,
  kError,
  kInt,
  kList,
  kMap,
  kNull,
  kOpaque,
  kString,
  kStruct,
  kTimestamp,
  kType,
  kParam,  // A variable for a type; overloads and empty literals have them.
  kUint,
};

struct Type {
  TypeKind kind = TypeKind::kError;
  std::string name;
  std::vector<const Type*> params;
  bool has_variables = false;  // Is or holds a kParam.

  bool Is(TypeKind other) const { return kind == other; }
  bool is_dyn() const { return kind == TypeKind::kDyn || kind == TypeKind::kAny; }
  bool is_optional() const { return kind == TypeKind::kOpaque && name == "optional_type"; }
};

class TypeTable {
 public:
  const Type* Get(TypeKind kind, std::string_view name = {}, std::vector<const Type*> params = {});

  const Type* Simple(TypeKind kind);  // A kind that needs neither name nor parameters.
  const Type* List(const Type* element) { return Get(TypeKind::kList, "list", {element}); }
  const Type* Map(const Type* key, const Type* value) { return Get(TypeKind::kMap, "map", {key, value}); }
  const Type* Optional(const Type* value) { return Get(TypeKind::kOpaque, "optional_type", {value}); }
  const Type* TypeOf(const Type* type) { return Get(TypeKind::kType, "type", {type}); }
  const Type* Param(std::string_view name) { return Get(TypeKind::kParam, name); }

  // Reads a type from the front of a text such as "map(string, list(A))", as declarations write them.
  const Type* Read(std::string_view& text);

 private:
  using Key = std::tuple<TypeKind, std::string, std::vector<const Type*>>;
  std::deque<Type> types_;
  std::map<Key, const Type*> index_;
};

// As messages show types, and as the static type of an expression is printed. Beyond some length they end in dots.
std::string FormatType(const Type* type);
std::string TypeToString(const Type* type);

}  // namespace berth::cel
