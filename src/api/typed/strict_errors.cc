// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "api/document/field_error.h"
#include "api/typed/member_path.h"
#include "api/typed/typed.h"
#include "api/wire/json_fields.h"

namespace berth::api {
namespace {

using wire::Field;
using wire::Form;
using wire::Message;
using wire::MessageAt;
using wire::Shape;
using wire::Type;
using What = StrictError::What;

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
  std::vector<StrictError> Take() { return std::move(errors_); }

  void Struct(Value object, const Message& message, const MemberPath* path) {
    const JsonFields& fields = JsonFields::Of(message);
    Seen seen(object);
    for (size_t i = 0; i < object.size() && errors_.size() < kErrorsMax; ++i) {
      const JsonField* const field = fields.Find(object.key(i));
      if (field == nullptr) {
        Report(What::kUnknown, path, object, i, &message);
        continue;
      }
      if (seen.Repeats(object.key(i))) Report(What::kDuplicate, path, object, i, &message);
      const MemberPath here{.up = path, .owner = &message, .field = field, .key = {}};
      Member(object[i], *field->field, here);
    }
  }

 private:
  // About the member at `index` of a map. What repeats an error is not said again.
  void Report(What what, const MemberPath* path, Value map, size_t index, const Message* message) {
    StrictError error{.what = what,
                      .path = PathOfMember(path, map.key(index)),
                      .name = map.key(index),
                      .message = message,
                      .line = map[index].line()};
    const auto is_same = [&](const StrictError& other) { return other.what == what && other.path == error.path; };
    if (std::ranges::none_of(errors_, is_same)) errors_.push_back(std::move(error));
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
      if (seen.Repeats(value.key(i))) Report(What::kDuplicate, &path, value, i, nullptr);
      Single(value[i], field, {.up = &path, .key = value.key(i)});
    }
  }

  std::vector<StrictError> errors_;
};

}  // namespace

std::string StrictError::ToText() const {
  return (what == What::kUnknown ? "unknown field " : "duplicate field ") + GoQuote(path);
}

std::vector<StrictError> StrictErrors(Value object, const Message& message) {
  StrictChecker checker;
  checker.Struct(object, message, nullptr);
  return checker.Take();
}

}  // namespace berth::api
