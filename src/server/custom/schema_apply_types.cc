// SPDX-License-Identifier: Apache-2.0
#include "server/custom/schema_apply_types.h"

#include <algorithm>

#include "api/wire/table.h"

namespace berth::server {
namespace {

using Kind = ApplyType::Kind;

const ApplyType* MetadataType() {
  // Of any kind that is kept: they all have the same.
  static const ApplyType* const kType =
      ApplyTypeOf(api::wire::MessageAt(api::wire::FindKind("v1", "ConfigMap")->message)).Find("metadata")->type;
  return kType;
}

}  // namespace

SchemaApplyTypes::SchemaApplyTypes(const Schema& schema)
    : text_{.kind = Kind::kString},
      number_{.kind = Kind::kNumber},
      bool_{.kind = Kind::kBool},
      scalar_{.kind = Kind::kScalar},
      deduced_{.kind = Kind::kDeduced} {
  deduced_.item = &deduced_;
  root_ = ObjectType(schema, true);
}

const ApplyType* SchemaApplyTypes::TypeOf(const Schema& schema, bool is_resource) {
  if (schema.is_int_or_string) return &scalar_;
  switch (schema.type) {
    case Schema::Type::kString: return &text_;
    case Schema::Type::kInteger:
    case Schema::Type::kNumber: return &number_;
    case Schema::Type::kBoolean: return &bool_;
    case Schema::Type::kAny: return &deduced_;
    case Schema::Type::kObject: return ObjectType(schema, is_resource || schema.is_embedded);
    case Schema::Type::kArray: break;
  }
  ApplyType& type = types_.emplace_back();
  type.kind = Kind::kList;
  type.is_atomic = schema.list_type == Schema::ListType::kAtomic;
  type.item = schema.items == nullptr ? &deduced_ : TypeOf(*schema.items, false);
  if (schema.list_type == Schema::ListType::kMap && schema.items != nullptr) {
    for (const std::string& key : schema.map_keys) {
      const Schema* const property = schema.items->Find(key);
      const bool has_standard = property != nullptr && !property->standard.is_null();
      type.keys.push_back({key, has_standard ? &property->standard : nullptr});
    }
    std::ranges::sort(type.keys, {}, &ApplyKey::name);
  }
  return &type;
}

const ApplyType* SchemaApplyTypes::ObjectType(const Schema& schema, bool is_resource) {
  ApplyType& type = types_.emplace_back();
  type.is_atomic = schema.is_atomic;
  if (schema.properties.empty() && !is_resource) {
    type.kind = Kind::kMap;
    type.item = schema.additional == nullptr ? &deduced_ : TypeOf(*schema.additional, false);
    return &type;
  }
  type.kind = Kind::kStruct;
  if (schema.preserves_unknown) type.item = &deduced_;
  for (const SchemaProperty& property : schema.properties) {
    const bool is_metadata = is_resource && property.name == "metadata";
    type.fields.push_back(
        {"f:" + property.name, is_metadata ? MetadataType() : TypeOf(property.schema, false), nullptr});
  }
  if (is_resource) {
    for (const std::string_view name : {"apiVersion", "kind", "metadata"}) {
      if (schema.Find(name) != nullptr) continue;
      type.fields.push_back({"f:" + std::string(name), name == "metadata" ? MetadataType() : &text_, nullptr});
    }
  }
  std::ranges::sort(type.fields, {}, &ApplyField::element);
  return &type;
}

}  // namespace berth::server
