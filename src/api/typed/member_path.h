// SPDX-License-Identifier: Apache-2.0
// MemberPath: where in an object a walk along the wire table stands.
//
// The links live on the stack of the walk, so that a path costs nothing until an error has to name it.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/wire/json_fields.h"
#include "api/wire/table.h"

namespace berth::api {

struct MemberPath {
  static constexpr size_t kNoIndex = ~size_t{0};

  const MemberPath* up = nullptr;
  const wire::Message* owner = nullptr;  // The message whose field this is; null for elements.
  const JsonField* field = nullptr;
  std::string_view key;     // Of an element of a map.
  size_t index = kNoIndex;  // Of an element of a list.

  // spec.containers[0].name.
  std::string ToText() const;
};

// The path of a member `name` of the object at `path`, which is null at the root.
std::string PathOfMember(const MemberPath* path, std::string_view name);

// `json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32`. `value` says what was
// found, `type` what Go calls the type that was expected.
std::string GoTypeError(const MemberPath* path, std::string_view value, std::string_view type);

// What Go calls the type of a field as a whole and that of its elements; the same for single fields.
std::string GoTypeOf(const wire::Field& field);
std::string GoTypeOfElement(const wire::Field& field);
std::string GoTypeOf(const wire::Message& message);

}  // namespace berth::api
