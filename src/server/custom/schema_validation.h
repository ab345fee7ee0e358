// SPDX-License-Identifier: Apache-2.0
// Validation of an object by its schema, with upstream's texts.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "server/custom/schema.h"
#include "server/model/field_errors.h"
#include "server/model/json.h"

namespace berth::server {

// What of a value breaks the schema. Where `old`, which may be null, has the same value at the same place, nothing is
// wrong. `prefix` is the path of the value in its object; empty for the whole.
void ValidateValue(const Json& value, const Json* old, const Schema& schema, std::string_view prefix,
                   FieldErrors& errors);

// Of lists that are sets or maps: items that occur twice.
void ValidateListTypes(const Json& value, const Schema& schema, FieldErrors& errors);

// Embedded objects must say what they are.
void ValidateEmbedded(const Json& value, const Schema& schema, FieldErrors& errors);
// The same of a part of an object, at `path`, which may be a whole resource itself.
void ValidateResource(const Json& value, const Schema& schema, bool is_resource, const std::string& path,
                      FieldErrors& errors);

// The items of a list that is a map, by their keys; of no other list, since items of those have no identity.
class ItemsByKeys {
 public:
  // REQUIRES: both outlive this. `items` may be null.
  ItemsByKeys(const Json* items, const Schema& list);
  // The item with the keys of this one. Null if there is none.
  const Json* Find(const Json& item) const;

 private:
  const Schema& list_;
  std::map<std::string, const Json*> items_;
};

}  // namespace berth::server
