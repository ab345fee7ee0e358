// SPDX-License-Identifier: Apache-2.0
// PatchSchema: what strategic merge patch knows of the type of a value, from the wire table.
//
// Lookups that fail say so in the words in which upstream speaks of its Go types.

#pragma once

#include <string>
#include <string_view>

#include "api/wire/table.h"
#include "base/result.h"

namespace berth::server {

struct PatchField;

struct PatchSchema {
  explicit PatchSchema(const api::wire::Message& of) : message(&of) {}
  // The type of a field, or of the elements of a list.
  explicit PatchSchema(const api::wire::Field& field);

  // The field that holds a map.
  Result<PatchField> FindMap(std::string_view name) const;
  // The field that holds a list; its schema is that of the elements.
  Result<PatchField> FindList(std::string_view name) const;

  const api::wire::Message* message = nullptr;  // Null if the type has no fields.
  std::string_view go_kind = "struct";          // Behind the pointer, if it is one.
  bool is_pointer = false;
};

struct PatchField {
  PatchSchema schema;
  bool merges = false;  // Of lists; maps merge unless they are replaced.
  bool replaces = false;
  std::string_view merge_key;  // Empty for lists of scalars.
};

}  // namespace berth::server
