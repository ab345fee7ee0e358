// SPDX-License-Identifier: Apache-2.0
#include "api/typed/member_path.h"

#include <fmt/format.h>

namespace berth::api {
namespace {

using wire::Field;
using wire::Message;
using wire::Shape;
using wire::Type;

// The names of fields alone, as Go's decoder keeps them: neither indexes nor keys of maps.
std::string GoFieldPath(const MemberPath* path) {
  if (path == nullptr) return {};
  std::string text = GoFieldPath(path->up);
  if (path->field == nullptr) return text;
  if (!text.empty()) text += '.';
  return text.append(path->field->embedded).append(path->field->name);
}

}  // namespace

std::string MemberPath::ToText() const {
  if (field != nullptr) return PathOfMember(up, field->name);
  if (index != kNoIndex) return fmt::format("{}[{}]", up->ToText(), index);
  return PathOfMember(up, key);
}

std::string PathOfMember(const MemberPath* path, std::string_view name) {
  if (path == nullptr) return std::string(name);
  return path->ToText().append(".").append(name);
}

std::string GoTypeError(const MemberPath* path, std::string_view value, std::string_view type) {
  const MemberPath* innermost = path;
  while (innermost != nullptr && innermost->field == nullptr) innermost = innermost->up;
  if (innermost == nullptr) return fmt::format("json: cannot unmarshal {} into Go value of type {}", value, type);
  return fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", value,
                     ShortName(*innermost->owner), GoFieldPath(path), type);
}

std::string GoTypeOf(const Field& field) {
  if (!field.types().whole.empty()) return std::string(field.types().whole);
  switch (field.shape) {
    case Shape::kSingle: return GoTypeOfElement(field);
    case Shape::kRepeated: return "[]" + GoTypeOfElement(field);
    case Shape::kMap: return "map[string]" + GoTypeOfElement(field);
  }
  return {};
}

std::string GoTypeOfElement(const Field& field) {
  if (!field.types().element.empty()) return std::string(field.types().element);
  switch (field.type) {
    case Type::kString: return "string";
    case Type::kBytes: return "[]uint8";
    case Type::kBool: return "bool";
    case Type::kInt32: return "int32";
    case Type::kInt64: return "int64";
    case Type::kMessage: return GoTypeOf(wire::MessageAt(field.message));
  }
  return {};
}

// The last two parts of the name: v1.PodSpec.
std::string GoTypeOf(const Message& message) {
  const size_t dot = message.name.rfind('.', message.name.rfind('.') - 1);
  return std::string(message.name.substr(dot + 1));
}

}  // namespace berth::api
