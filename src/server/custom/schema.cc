// SPDX-License-Identifier: Apache-2.0
#include "server/custom/schema.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace berth::server {
namespace {

using Type = Schema::Type;

constexpr std::array<std::string_view, 7> kTypeNames = {"",        "object", "array",  "string",
                                                        "integer", "number", "boolean"};

// Sorted.
constexpr std::string_view kSchemaMembers[] = {"$ref",
                                               "$schema",
                                               "additionalItems",
                                               "additionalProperties",
                                               "allOf",
                                               "anyOf",
                                               "default",
                                               "definitions",
                                               "dependencies",
                                               "description",
                                               "enum",
                                               "example",
                                               "exclusiveMaximum",
                                               "exclusiveMinimum",
                                               "externalDocs",
                                               "format",
                                               "id",
                                               "items",
                                               "maxItems",
                                               "maxLength",
                                               "maxProperties",
                                               "maximum",
                                               "minItems",
                                               "minLength",
                                               "minProperties",
                                               "minimum",
                                               "multipleOf",
                                               "not",
                                               "nullable",
                                               "oneOf",
                                               "pattern",
                                               "patternProperties",
                                               "properties",
                                               "required",
                                               "title",
                                               "type",
                                               "uniqueItems",
                                               "x-kubernetes-embedded-resource",
                                               "x-kubernetes-int-or-string",
                                               "x-kubernetes-list-map-keys",
                                               "x-kubernetes-list-type",
                                               "x-kubernetes-map-type",
                                               "x-kubernetes-preserve-unknown-fields",
                                               "x-kubernetes-validations"};

// Without dashes, as upstream compares them.
constexpr std::string_view kTextFormats[] = {
    "bsonobjectid", "byte",     "cidr", "creditcard", "date",   "datetime", "duration",    "email",        "hexcolor",
    "hostname",     "ipv4",     "ipv6", "isbn",       "isbn10", "isbn13",   "k8slongname", "k8sshortname", "mac",
    "password",     "rgbcolor", "ssn",  "uri",        "uuid",   "uuid3",    "uuid4",       "uuid5"};

std::optional<double> Number(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  double number = 0;
  const std::string& text = value.text();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::vector<std::string> Texts(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list.items()) texts.push_back(item.text());
  return texts;
}

std::vector<Schema> Schemas(const Json& list) {
  std::vector<Schema> schemas;
  for (const Json& item : list.items()) schemas.push_back(ReadSchema(item));
  return schemas;
}

std::unique_ptr<Schema> SchemaOrNull(const Json& schema) {
  return schema.is_map() ? std::make_unique<Schema>(ReadSchema(schema)) : nullptr;
}

// The format as it is checked: empty if the type does not know it.
std::string FormatOf(const Json& schema, Type type) {
  std::string format = schema["format"].text();
  if (type == Type::kInteger) return format == "int32" || format == "int64" ? format : "";
  if (type == Type::kNumber) return format == "float" || format == "double" ? format : "";
  if (type != Type::kAny && type != Type::kString) return {};
  std::string plain = format;
  std::erase(plain, '-');
  return std::ranges::find(kTextFormats, plain) != std::end(kTextFormats) ? format : std::string();
}

std::vector<SchemaRule> ReadRules(const Json& list) {
  std::vector<SchemaRule> rules;
  for (const Json& item : list.items()) {
    SchemaRule& rule = rules.emplace_back();
    rule.rule = item["rule"].text();
    rule.message = item["message"].text();
    rule.message_expression = item["messageExpression"].text();
    rule.reason = item["reason"].text();
    rule.field_path = item["fieldPath"].text();
    if (item["optionalOldSelf"].is_bool()) rule.optional_old_self = item["optionalOldSelf"].AsBool();
  }
  return rules;
}

bool HasChecks(const Json& schema) {
  constexpr std::string_view kPlain[] = {"type",  "properties", "items",    "description",
                                         "title", "default",    "nullable", "additionalProperties"};
  return std::ranges::any_of(schema.members(), [&](const Json::Member& member) {
    return std::ranges::find(kPlain, std::string_view(member.name)) == std::end(kPlain) &&
           (!member.name.starts_with("x-kubernetes-") || member.name == "x-kubernetes-validations");
  });
}

std::unique_ptr<SchemaChecks> ReadChecks(const Json& schema, Type type) {
  auto checks = std::make_unique<SchemaChecks>();
  checks->minimum = Number(schema["minimum"]);
  checks->maximum = Number(schema["maximum"]);
  checks->multiple_of = Number(schema["multipleOf"]);
  checks->excludes_minimum = schema["exclusiveMinimum"].AsBool();
  checks->excludes_maximum = schema["exclusiveMaximum"].AsBool();
  checks->min_length = schema["minLength"].AsInt();
  checks->max_length = schema["maxLength"].AsInt();
  checks->min_items = schema["minItems"].AsInt();
  checks->max_items = schema["maxItems"].AsInt();
  checks->min_properties = schema["minProperties"].AsInt();
  checks->max_properties = schema["maxProperties"].AsInt();
  checks->pattern = schema["pattern"].text();
  if (!checks->pattern.empty()) {
    if (Result<cel::Regex> regex = cel::Regex::Compile(checks->pattern)) {
      checks->regex = std::make_shared<const cel::Regex>(*std::move(regex));
    }
  }
  checks->format = FormatOf(schema, type);
  checks->values = schema["enum"].items();
  checks->required = Texts(schema["required"]);
  checks->all_of = Schemas(schema["allOf"]);
  checks->any_of = Schemas(schema["anyOf"]);
  checks->one_of = Schemas(schema["oneOf"]);
  checks->none_of = SchemaOrNull(schema["not"]);
  checks->rules = ReadRules(schema["x-kubernetes-validations"]);
  return checks;
}

}  // namespace

bool IsKnownFormat(std::string_view format) {
  static constexpr std::string_view kOfNumbers[] = {"int32", "int64", "float", "double"};
  std::string plain(format);
  std::erase(plain, '-');
  return std::ranges::find(kOfNumbers, format) != std::end(kOfNumbers) ||
         std::ranges::find(kTextFormats, plain) != std::end(kTextFormats);
}

std::string_view TypeName(Schema::Type type) { return kTypeNames[static_cast<size_t>(type)]; }

bool IsSchemaMember(std::string_view name) { return std::ranges::binary_search(kSchemaMembers, name); }

const Schema* Schema::Find(std::string_view property) const {
  const auto found = std::ranges::lower_bound(properties, property, {}, &SchemaProperty::name);
  return found != properties.end() && found->name == property ? &found->schema : nullptr;
}

const Schema* Schema::MemberSchema(std::string_view name) const {
  if (const Schema* const property = Find(name)) return property;
  return additional.get();
}

const SchemaChecks& Schema::checks() const {
  static const SchemaChecks kNone;
  return some_checks == nullptr ? kNone : *some_checks;
}

Schema ReadSchema(const Json& schema) {
  Schema read;
  const auto type = std::ranges::find(kTypeNames, schema["type"].text());
  if (type != kTypeNames.end()) read.type = static_cast<Type>(type - kTypeNames.begin());
  read.nullable = schema["nullable"].AsBool();
  read.preserves_unknown = schema["x-kubernetes-preserve-unknown-fields"].AsBool();
  read.is_embedded = schema["x-kubernetes-embedded-resource"].AsBool();
  read.is_int_or_string = schema["x-kubernetes-int-or-string"].AsBool();
  read.is_atomic = schema["x-kubernetes-map-type"].text() == "atomic";
  const std::string& list_type = schema["x-kubernetes-list-type"].text();
  if (list_type == "set") read.list_type = Schema::ListType::kSet;
  if (list_type == "map") read.list_type = Schema::ListType::kMap;
  read.map_keys = Texts(schema["x-kubernetes-list-map-keys"]);
  read.standard = schema["default"];
  const Json& additional = schema["additionalProperties"];
  read.has_additional = additional.is_map() || additional.AsBool();
  read.additional = SchemaOrNull(additional);
  read.items = SchemaOrNull(schema["items"]);
  read.properties.reserve(schema["properties"].size());
  for (const Json::Member& member : schema["properties"].members()) {
    read.properties.push_back({member.name, ReadSchema(member.value)});
  }
  if (HasChecks(schema)) read.some_checks = ReadChecks(schema, read.type);
  return read;
}

}  // namespace berth::server
