// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "api/field_error.h"
#include "api/typed/json_fields.h"
#include "api/typed/member_path.h"
#include "api/typed/typed.h"

namespace berth::api {
namespace {

using wire::Field;
using wire::Form;
using wire::Message;
using wire::MessageAt;
using wire::Shape;
using wire::Type;

// Of these many upstream speaks.
constexpr size_t kErrorsMax = 100;

// Most maps are small, and to compare all pairs needs no memory.
bool HasDuplicatesAmongFew(Value map) {
  for (size_t i = 1; i < map.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (map.key(i) == map.key(j)) return true;
    }
  }
  return false;
}

bool HasDuplicates(Value map) {
  if (map.size() <= 16) return HasDuplicatesAmongFew(map);
  std::vector<std::string_view> keys;
  keys.reserve(map.size());
  for (size_t i = 0; i < map.size(); ++i) keys.push_back(map.key(i));
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

// Tells which keys of a map repeat earlier ones. Most maps have none, and then nothing is remembered.
class Seen {
 public:
  explicit Seen(Value map) : has_duplicates_(HasDuplicates(map)) {}

  bool Repeats(std::string_view key) { return has_duplicates_ && !keys_.insert(key).second; }

 private:
  bool has_duplicates_;
  std::unordered_set<std::string_view> keys_;
};

// Values of the wrong type are none of its business: Canonicalize finds them.
class StrictChecker {
 public:
  std::vector<std::string> Take() { return std::move(errors_); }

  void Struct(Value object, const Message& message, const MemberPath* path) {
    const JsonFields& fields = JsonFields::Of(message);
    Seen seen(object);
    for (size_t i = 0; i < object.size() && errors_.size() < kErrorsMax; ++i) {
      const JsonField* const field = fields.Find(object.key(i));
      if (field == nullptr) {
        Report("unknown field ", path, object.key(i));
        continue;
      }
      if (seen.Repeats(object.key(i))) Report("duplicate field ", path, object.key(i));
      const MemberPath here{.up = path, .owner = &message, .field = field, .key = {}};
      Member(object[i], *field->field, here);
    }
  }

 private:
  void Report(std::string_view what, const MemberPath* path, std::string_view name) {
    std::string error = std::string(what) + GoQuote(PathOfMember(path, name));
    if (std::ranges::find(errors_, error) == errors_.end()) errors_.push_back(std::move(error));
  }

  void Member(Value value, const Field& field, const MemberPath& path) {
    switch (field.shape) {
      case Shape::kSingle: return Single(value, field, path);
      case Shape::kRepeated: return List(value, field, path);
      case Shape::kMap: return Map(value, field, path);
    }
  }

  static bool IsOfStructs(const Field& field) {
    return field.type == Type::kMessage && MessageAt(field.message).form == Form::kStruct;
  }

  void Single(Value value, const Field& field, const MemberPath& path) {
    if (value.is_map() && IsOfStructs(field)) Struct(value, MessageAt(field.message), &path);
  }

  void List(Value value, const Field& field, const MemberPath& path) {
    if (!value.is_list() || !IsOfStructs(field)) return;
    for (size_t i = 0; i < value.size(); ++i) Single(value[i], field, {.up = &path, .key = {}, .index = i});
  }

  void Map(Value value, const Field& field, const MemberPath& path) {
    if (!value.is_map()) return;
    Seen seen(value);
    for (size_t i = 0; i < value.size() && errors_.size() < kErrorsMax; ++i) {
      if (seen.Repeats(value.key(i))) Report("duplicate field ", &path, value.key(i));
      Single(value[i], field, {.up = &path, .key = value.key(i)});
    }
  }

  std::vector<std::string> errors_;
};

}  // namespace

std::vector<std::string> StrictErrors(Value object, const Message& message) {
  StrictChecker checker;
  checker.Struct(object, message, nullptr);
  return checker.Take();
}

}  // namespace berth::api
