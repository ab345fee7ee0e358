// SPDX-License-Identifier: Apache-2.0
// ApplyType: what server-side apply knows of the type of a value, from the wire table or from the schema of a custom
// resource.
//
// Structs, maps and associative lists are owned field by field or item by item; everything else is a leaf, owned as a
// whole.
//
// Thread: any; the types are made at the first use and constant.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/wire/table.h"
#include "server/model/json.h"
#include "server/model/object_schema.h"

namespace berth::server {

struct ApplyType;

struct ApplyField {
  std::string_view name() const { return std::string_view(element).substr(2); }

  api::MemberName element;  // Such as f:spec.
  const ApplyType* type = nullptr;
  // What upstream writes when the field is unset; null if it leaves it out then.
  const Json* zero = nullptr;
};

struct ApplyKey {
  std::string_view name;
  const Json* standard = nullptr;  // What an item without this key counts as; may be null.
};

struct ApplyType {
  // kAny takes every JSON and owns it as a whole; kDeduced takes every JSON too, and owns maps by their members.
  enum class Kind : uint8_t { kString, kNumber, kBool, kScalar, kAny, kStruct, kMap, kList, kDeduced };

  bool is_leaf() const { return is_atomic || kind < Kind::kStruct; }
  const ApplyField* Find(std::string_view name) const;

  Kind kind = Kind::kScalar;
  bool is_atomic = false;
  const ApplyType* item =
      nullptr;  // Of maps and lists; of structs: of members that are no fields, null if none may be.
  std::vector<ApplyField> fields{};  // Of structs, by name.
  // Of lists that are not atomic: by name. Those without keys are sets.
  std::vector<ApplyKey> keys{};
};

// The type of a kind that is kept.
const ApplyType& ApplyTypeOf(const api::wire::Message& message);
inline const ApplyType& ApplyTypeOf(const ObjectSchema& schema) {
  return schema.custom() != nullptr ? schema.custom()->apply_type() : ApplyTypeOf(*schema.message());
}

// The element of an item in a list that is not atomic: k:{"name":"a"} or v:"a"; empty if the item has none of the keys
// or is no possible item.
std::string ItemElement(const ApplyType& list, const Json& item);

}  // namespace berth::server
