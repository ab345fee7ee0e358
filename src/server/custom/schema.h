// SPDX-License-Identifier: Apache-2.0
// Schema: the structural schema of a custom resource, read once from its definition.
//
// The same struct stands for the parts of allOf, anyOf, oneOf and not, in which only the checks of values count.
// What it means for objects is elsewhere: schema_values.h prunes and fills in defaults, schema_validation.h validates.
//
// Thread: any; constant once it is made.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/regex.h"
#include "server/model/json.h"

namespace berth::server {

struct Schema;

// One of x-kubernetes-validations.
struct SchemaRule {
  std::string rule;
  std::string message;
  std::string message_expression;
  std::string reason;      // Empty: FieldValueInvalid.
  std::string field_path;  // Where a failure is shown, relative to the value; empty: at the value.
  std::optional<bool> optional_old_self;
};

// What few schemas have.
struct SchemaChecks {
  std::optional<double> minimum, maximum, multiple_of;
  bool excludes_minimum = false, excludes_maximum = false;
  std::optional<int64_t> min_length, max_length, min_items, max_items, min_properties, max_properties;
  std::string pattern;
  std::shared_ptr<const cel::Regex> regex;  // Null if there is no pattern, or one that makes no sense.
  std::string format;                       // Empty if it is not known for the type.
  std::vector<Json> values;                 // Of an enum.
  std::vector<std::string> required;
  std::vector<Schema> all_of, any_of, one_of;
  std::unique_ptr<Schema> none_of;  // not
  std::vector<SchemaRule> rules;
};

struct SchemaProperty;

struct Schema {
  enum class Type : uint8_t { kAny, kObject, kArray, kString, kInteger, kNumber, kBoolean };
  enum class ListType : uint8_t { kAtomic, kSet, kMap };

  const Schema* Find(std::string_view property) const;
  // The schema of a member: a property or an additional one. Null if there is none.
  const Schema* MemberSchema(std::string_view name) const;
  const SchemaChecks& checks() const;

  Type type = Type::kAny;
  ListType list_type = ListType::kAtomic;
  bool nullable = false;
  bool preserves_unknown = false;
  bool is_embedded = false;
  bool is_int_or_string = false;
  bool is_atomic = false;                  // Of objects: for server-side apply.
  bool has_additional = false;             // Objects may have members of any name,
  std::unique_ptr<Schema> additional;      // of this schema if there is one.
  std::unique_ptr<Schema> items;           // Of arrays.
  std::vector<SchemaProperty> properties;  // By name.
  std::vector<std::string> map_keys;
  Json standard;  // The default; null if there is none.
  std::unique_ptr<SchemaChecks> some_checks;
};

struct SchemaProperty {
  std::string name;
  Schema schema;
};

// The word of a schema's type, such as integer; empty for kAny.
std::string_view TypeName(Schema::Type type);

// Reads the openAPIV3Schema of a definition that was validated; what would not be valid is passed over.
Schema ReadSchema(const Json& schema);

// Whether values are ever checked for that format.
bool IsKnownFormat(std::string_view format);

// The members of a schema that mean something.
bool IsSchemaMember(std::string_view name);

}  // namespace berth::server
