// SPDX-License-Identifier: Apache-2.0
#include "server/custom/rule_types.h"

#include <algorithm>

namespace berth::server {
namespace {

using cel::DeclaredType;
using cel::TypeKind;
using Type = Schema::Type;

// The largest request that upstream takes, from which it computes how much there can be of something.
constexpr uint64_t kRequestBytes = uint64_t{3} << 20;
constexpr uint64_t kNameMax = 253;

uint64_t AtLeastZero(int64_t number) { return static_cast<uint64_t>(std::max<int64_t>(number, 0)); }

DeclaredType Simple(TypeKind kind, uint64_t min_size, uint64_t max_elements = 0) {
  DeclaredType type(kind);
  type.min_size = min_size;
  type.max_elements = max_elements;
  return type;
}

// A character has up to four bytes.
uint64_t MaxBytes(const SchemaChecks& checks) { return AtLeastZero(*checks.max_length) * 4; }

DeclaredType DeclareText(const Schema& schema) {
  constexpr uint64_t kShortest = 2;
  const SchemaChecks& checks = schema.checks();
  if (checks.format == "byte") {
    return Simple(TypeKind::kBytes, kShortest, checks.max_length ? AtLeastZero(*checks.max_length) : kRequestBytes - 2);
  }
  if (checks.format == "duration") return Simple(TypeKind::kDuration, 3, 32);
  if (checks.format == "date") return Simple(TypeKind::kTimestamp, 12, 12);
  if (checks.format == "date-time") return Simple(TypeKind::kTimestamp, 21, 32);
  uint64_t max = kRequestBytes - 2;
  if (checks.max_length) {
    max = MaxBytes(checks);
  } else if (!checks.values.empty()) {
    max = 0;
    for (const Json& value : checks.values) max = std::max<uint64_t>(max, value.is_string() ? value.text().size() : 0);
  }
  return Simple(TypeKind::kString, kShortest, max);
}

std::optional<DeclaredType> DeclareList(const Schema& schema) {
  if (schema.items == nullptr) return std::nullopt;
  std::optional<DeclaredType> item = DeclareType(*schema.items, schema.items->is_embedded);
  if (!item) return std::nullopt;
  const std::optional<int64_t> max = schema.checks().max_items;
  DeclaredType type = Simple(TypeKind::kList, 2, max ? AtLeastZero(*max) : (kRequestBytes - 2) / (item->min_size + 1));
  type.element = std::make_unique<DeclaredType>(*std::move(item));
  return type;
}

std::optional<DeclaredType> DeclareMap(const Schema& schema) {
  std::optional<DeclaredType> value = DeclareType(*schema.additional, schema.additional->is_embedded);
  if (!value) return std::nullopt;
  const std::optional<int64_t> max = schema.checks().max_properties;
  DeclaredType type = Simple(TypeKind::kMap, 2, max ? AtLeastZero(*max) : (kRequestBytes - 2) / (value->min_size + 6));
  type.element = std::make_unique<DeclaredType>(*std::move(value));
  return type;
}

void AddField(DeclaredType& object, const std::string& name, const Schema& schema, bool is_required) {
  std::optional<DeclaredType> type = DeclareType(schema, schema.is_embedded);
  if (!type) return;
  if (is_required && schema.standard.is_null()) object.min_size += name.size() + type->min_size + 4;
  if (std::string escaped = cel::EscapeName(name); !escaped.empty()) {
    object.fields.push_back({std::move(escaped), *std::move(type)});
  }
}

DeclaredType DeclareObject(const Schema& schema, bool is_resource) {
  DeclaredType object = Simple(TypeKind::kStruct, 2);
  const std::vector<std::string>& required = schema.checks().required;
  const auto is_required = [&](std::string_view name) { return std::ranges::find(required, name) != required.end(); };
  constexpr std::string_view kAlways[] = {"apiVersion", "kind", "metadata"};
  for (const SchemaProperty& property : schema.properties) {
    const bool is_given = is_resource && std::ranges::find(kAlways, property.name) != std::end(kAlways);
    if (!is_given) AddField(object, property.name, property.schema, is_required(property.name));
  }
  if (is_resource) {
    for (const std::string_view name : kAlways) {
      AddField(object, std::string(name), *ResourceMember(schema, name), is_required(name));
    }
  }
  std::ranges::sort(object.fields, {}, &cel::DeclaredField::name);
  return object;
}

Schema TextSchema(std::optional<uint64_t> max_length = std::nullopt) {
  Schema schema;
  schema.type = Type::kString;
  if (max_length) {
    schema.some_checks = std::make_unique<SchemaChecks>();
    schema.some_checks->max_length = static_cast<int64_t>(*max_length);
  }
  return schema;
}

// Whether the schema says all that is there of any resource.
bool NamesItself(const Schema& schema) {
  const auto is_text = [](const Schema* property) { return property != nullptr && property->type == Type::kString; };
  const Schema* const metadata = schema.Find("metadata");
  return is_text(schema.Find("kind")) && is_text(schema.Find("apiVersion")) && metadata != nullptr &&
         metadata->type == Type::kObject && is_text(metadata->Find("name")) && is_text(metadata->Find("generateName"));
}

}  // namespace

const Schema* ResourceMember(const Schema& schema, std::string_view name) {
  static const Schema kText = TextSchema();
  static const Schema kMetadata = [] {
    Schema metadata;
    metadata.type = Type::kObject;
    metadata.properties.push_back({"generateName", TextSchema(kNameMax - 1)});
    metadata.properties.push_back({"name", TextSchema(kNameMax)});
    return metadata;
  }();
  const bool is_text = name == "apiVersion" || name == "kind";
  if (!is_text && name != "metadata") return nullptr;
  if (NamesItself(schema)) return schema.Find(name);
  return is_text ? &kText : &kMetadata;
}

std::optional<DeclaredType> DeclareType(const Schema& schema, bool is_resource) {
  if (schema.is_int_or_string) {
    const SchemaChecks& checks = schema.checks();
    return Simple(TypeKind::kDyn, 1, checks.max_length ? MaxBytes(checks) : kRequestBytes - 2);
  }
  switch (schema.type) {
    case Type::kArray: return DeclareList(schema);
    case Type::kObject: return schema.additional != nullptr ? DeclareMap(schema) : DeclareObject(schema, is_resource);
    case Type::kString: return DeclareText(schema);
    case Type::kBoolean: return Simple(TypeKind::kBool, 4);
    case Type::kNumber: return Simple(TypeKind::kDouble, 1);
    case Type::kInteger: return Simple(TypeKind::kInt, 1);
    default: return std::nullopt;
  }
}

}  // namespace berth::server
