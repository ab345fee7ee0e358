// SPDX-License-Identifier: Apache-2.0
#include "server/custom/schema_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "cel/regex.h"
#include "server/custom/rule_check.h"
#include "server/custom/rule_path.h"
#include "server/custom/schema.h"
#include "server/custom/schema_validation.h"
#include "server/custom/schema_values.h"

namespace berth::server {
namespace {

constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";
constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
constexpr std::string_view kListType = "x-kubernetes-list-type";
constexpr std::string_view kMapKeys = "x-kubernetes-list-map-keys";
constexpr std::string_view kMapType = "x-kubernetes-map-type";
constexpr std::string_view kRules = "x-kubernetes-validations";

// Whether the member means anything: upstream drops what is empty when it decodes.
bool IsSet(const Json& schema, std::string_view name) {
  const Json& value = schema[name];
  switch (value.kind()) {
    case Json::Kind::kNull: return false;
    case Json::Kind::kBool: return value.AsBool();
    case Json::Kind::kNumber: return true;
    default: return !value.empty() || !value.text().empty();
  }
}

// The JSON types of members, so that nothing else needs to doubt them.
class TypeCheck {
 public:
  explicit TypeCheck(FieldErrors& errors) : errors_(errors) {}

  bool Check(const Json& schema, const std::string& path) {
    if (!schema.is_map()) return Fail(path, schema, "must be an object");
    bool ok = true;
    for (const Json::Member& member : schema.members()) {
      ok = CheckMember(member.name, member.value, Child(path, member.name)) && ok;
    }
    return ok;
  }

 private:
  using Kind = Json::Kind;

  bool Fail(const std::string& path, const Json& value, std::string_view what) {
    errors_.Invalid(path, value.is_map() || value.is_list() ? Json::String("") : value, what);
    return false;
  }

  bool Expect(const Json& value, Kind kind, const std::string& path, std::string_view what) {
    return value.kind() == kind || value.is_null() || Fail(path, value, fmt::format("must be {}", what));
  }

  bool CheckMember(std::string_view name, const Json& value, const std::string& path) {
    const auto is = [&](std::initializer_list<std::string_view> names) {
      return std::ranges::find(names, name) != names.end();
    };
    if (is({"default", "example", "externalDocs", "dependencies", "$ref"})) return true;
    if (is({"maximum", "minimum", "multipleOf"})) return Expect(value, Kind::kNumber, path, "a number");
    if (is({"maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"})) {
      return value.is_null() || value.AsInt() || Fail(path, value, "must be an integer");
    }
    if (is({"nullable", "uniqueItems", "exclusiveMaximum", "exclusiveMinimum", kPreserve, kEmbedded, kIntOrString})) {
      return Expect(value, Kind::kBool, path, "a boolean");
    }
    if (is({"required", kMapKeys})) return CheckTexts(value, path);
    if (is({"enum"})) return Expect(value, Kind::kList, path, "a list");
    if (is({kRules})) return CheckRulesOf(value, path);
    if (is({"properties", "patternProperties", "definitions"})) return CheckMembersOf(value, path);
    if (is({"allOf", "anyOf", "oneOf"})) return CheckItemsOf(value, path);
    if (is({"not"})) return value.is_null() || Check(value, path);
    if (is({"items"})) return value.is_null() || (value.is_list() ? CheckItemsOf(value, path) : Check(value, path));
    if (is({"additionalProperties", "additionalItems"})) {
      return value.is_null() || value.is_bool() || Check(value, path);
    }
    return Expect(value, Kind::kString, path, "a string");
  }

  bool CheckTexts(const Json& value, const std::string& path) {
    if (!Expect(value, Kind::kList, path, "a list")) return false;
    return std::ranges::all_of(
        value.items(), [&](const Json& each) { return each.is_string() || Fail(path, each, "must be a string"); });
  }

  bool CheckRulesOf(const Json& value, const std::string& path) {
    if (!Expect(value, Kind::kList, path, "a list")) return false;
    bool ok = true;
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string rule_path = Index(path, i);
      if (!value[i].is_map()) ok = Fail(rule_path, value[i], "must be an object");
      for (const Json::Member& member : value[i].members()) {
        const bool is_flag = member.name == "optionalOldSelf";
        const std::string place = Child(rule_path, member.name);
        ok = Expect(member.value, is_flag ? Kind::kBool : Kind::kString, place, is_flag ? "a boolean" : "a string") &&
             ok;
      }
    }
    return ok;
  }

  bool CheckMembersOf(const Json& value, const std::string& path) {
    if (!Expect(value, Kind::kMap, path, "an object")) return false;
    bool ok = true;
    for (const Json::Member& member : value.members()) ok = Check(member.value, Key(path, member.name)) && ok;
    return ok;
  }

  bool CheckItemsOf(const Json& value, const std::string& path) {
    if (!Expect(value, Kind::kList, path, "a list")) return false;
    bool ok = true;
    for (size_t i = 0; i < value.size(); ++i) ok = Check(value[i], Index(path, i)) && ok;
    return ok;
  }

  FieldErrors& errors_;
};

// Whether a schema is structural.
class Structure {
 public:
  enum class Level : uint8_t { kRoot, kItem, kField };

  FieldErrors Check(const Json& schema, const std::string& path) {
    CheckInvariants(schema, Level::kRoot, path);
    // Every field that a nested schema of the root judges is there outside of it; upstream looks no deeper.
    CheckValuesComplete(schema, schema, path, path);
    std::vector<FieldError> sorted = found_.Take();
    std::ranges::sort(sorted, {}, [](const FieldError& error) { return error.field + ": " + error.message; });
    FieldErrors errors;
    for (FieldError& error : sorted) errors.Add(std::move(error));
    return errors;
  }

 private:
  void CheckInvariants(const Json& schema, Level level, const std::string& path) {
    const std::string& type = schema["type"].text();
    const Json& items = schema["items"];
    if (type == "array" && !items.is_map()) found_.Required(Child(path, "items"), "must be specified");
    if (items.is_map()) CheckInvariants(items, Level::kItem, Child(path, "items"));
    const std::string properties_path = Child(path, "properties");
    for (const Json::Member& member : schema["properties"].members()) {
      CheckInvariants(member.value, Level::kField, Key(properties_path, member.name));
    }
    const Json& additional = schema["additionalProperties"];
    if (!additional.is_null() && level == Level::kRoot) {
      found_.Forbidden(Child(path, "additionalProperties"), "must not be used at the root");
    }
    if (additional.is_map()) CheckInvariants(additional, Level::kField, Child(path, "additionalProperties"));
    CheckExtensions(schema, path);
    CheckValues(schema, IsIntOrString(schema["anyOf"]), IsIntOrString(schema["allOf"][size_t{0}]["anyOf"]), path);
    CheckKind(schema, level, path);
    CheckMetadata(schema, level, path);
  }

  static bool IsIntOrString(const Json& any_of) {
    static const Json kPattern =
        Json::MakeList({Json{{"type", Json::String("integer")}}, Json{{"type", Json::String("string")}}});
    return any_of == kPattern;
  }

  void CheckExtensions(const Json& schema, const std::string& path) {
    if (!schema[kIntOrString].AsBool()) return;
    for (const std::string_view name : {kPreserve, kEmbedded}) {
      if (schema[name].AsBool()) {
        found_.Invalid(Child(path, name), Json::Bool(true), "must be false if x-kubernetes-int-or-string is true");
      }
    }
  }

  void CheckKind(const Json& schema, Level level, const std::string& path) {
    const std::string& type = schema["type"].text();
    const bool is_embedded = schema[kEmbedded].AsBool();
    constexpr std::string_view kMustBeObject = "must be object if x-kubernetes-embedded-resource is true";
    if (is_embedded && type != "object") {
      if (type.empty()) {
        found_.Required(Child(path, "type"), kMustBeObject);
      } else {
        found_.Invalid(Child(path, "type"), type, kMustBeObject);
      }
    } else if (type.empty() && !schema[kIntOrString].AsBool() && !schema[kPreserve].AsBool()) {
      constexpr std::array<std::string_view, 3> kWhere = {"at the root", "for specified array items",
                                                          "for specified object fields"};
      found_.Required(Child(path, "type"), fmt::format("must not be empty {}", kWhere[static_cast<size_t>(level)]));
    }
    if (is_embedded && !schema["additionalProperties"].is_null()) {
      found_.Forbidden(Child(path, "additionalProperties"),
                       "must not be used if x-kubernetes-embedded-resource is set");
    }
    if (level == Level::kRoot && !type.empty() && type != "object") {
      found_.Invalid(Child(path, "type"), type, "must be object at the root");
    }
    if (is_embedded && !schema[kPreserve].AsBool() && schema["properties"].empty()) {
      found_.Required(Child(path, "properties"),
                      "must not be empty if x-kubernetes-embedded-resource is true without "
                      "x-kubernetes-preserve-unknown-fields");
    }
  }

  void CheckMetadata(const Json& schema, Level level, const std::string& path) {
    const bool is_resource = level == Level::kRoot || schema[kEmbedded].AsBool();
    const std::string properties_path = Child(path, "properties");
    const Json& properties = schema["properties"];
    for (const std::string_view name : {"kind", "apiVersion"}) {
      if (!is_resource || !properties.Has(name)) continue;
      const std::string& type = properties[name]["type"].text();
      if (type != "string") found_.Invalid(Child(Key(properties_path, name), "type"), type, "must be string");
    }
    const Json* const metadata = properties.Find("metadata");
    if (metadata == nullptr) return;
    const std::string metadata_path = Key(properties_path, "metadata");
    if (is_resource && (*metadata)["type"].text() != "object") {
      found_.Invalid(Child(metadata_path, "type"), (*metadata)["type"], "must be object");
    }
    if (level != Level::kRoot) return;
    const auto is_name = [](const Json::Member& member) {
      return member.name == "name" || member.name == "generateName";
    };
    const bool has_only_names = std::ranges::all_of((*metadata)["properties"].members(), is_name);
    const bool has_more = std::ranges::any_of(metadata->members(), [&](const Json::Member& member) {
      return member.name != "type" && member.name != "properties" && member.name != "default" &&
             member.name != "description" && IsSet(*metadata, member.name);
    });
    if (!has_only_names || has_more || IsSet(*metadata, "description")) {
      found_.Forbidden(metadata_path,
                       "must not specify anything other than name and generateName, but metadata is implicitly "
                       "specified");
    }
  }

  void CheckValues(const Json& schema, bool skips_any_of, bool skips_first_any_of, const std::string& path) {
    for (const std::string_view name : {"anyOf", "allOf", "oneOf"}) {
      if (name == "anyOf" && skips_any_of) continue;
      const std::string list_path = Child(path, name);
      for (size_t i = 0; i < schema[name].size(); ++i) {
        CheckNested(schema[name][i], name == "allOf" && i == 0 && skips_first_any_of, Index(list_path, i));
      }
    }
    if (schema["not"].is_map()) CheckNested(schema["not"], false, Child(path, "not"));
    if (const std::string& pattern = schema["pattern"].text(); !pattern.empty()) {
      if (const Result<cel::Regex> regex = cel::Regex::Compile(pattern); !regex) {
        found_.Invalid(Child(path, "pattern"), pattern,
                       "must be a valid regular expression, but isn't: " + regex.error().message);
      }
    }
  }

  // Below allOf and the like only values are judged, so nothing may say what a value is.
  void CheckNested(const Json& schema, bool skips_any_of, const std::string& path) {
    CheckValues(schema, skips_any_of, false, path);
    if (schema["items"].is_map()) CheckNested(schema["items"], false, Child(path, "items"));
    const std::string properties_path = Child(path, "properties");
    for (const Json::Member& member : schema["properties"].members()) {
      CheckNested(member.value, false, Key(properties_path, member.name));
    }
    static constexpr std::pair<std::string_view, std::string_view> kForbidden[] = {
        {"type", "must be empty to be structural"},
        {"additionalProperties", "must be undefined to be structural"},
        {"default", "must be undefined to be structural"},
        {"title", "must be empty to be structural"},
        {"description", "must be empty to be structural"},
        {"nullable", "must be false to be structural"},
        {kPreserve, "must be false to be structural"},
        {kEmbedded, "must be false to be structural"},
        {kIntOrString, "must be false to be structural"},
        {kMapKeys, "must be empty to be structural"},
        {kListType, "must be undefined to be structural"},
        {kMapType, "must be undefined to be structural"},
        {kRules, "must be empty to be structural"}};
    for (const auto& [name, why] : kForbidden) {
      const bool is_defined = name == "default" || name == "additionalProperties";
      if (is_defined ? !schema[name].is_null() : IsSet(schema, name)) found_.Forbidden(Child(path, name), why);
    }
    if (schema["properties"].Has("metadata")) {
      found_.Forbidden(Key(properties_path, "metadata"), "must not be specified in a nested context");
    }
  }

  void CheckValuesComplete(const Json& values, const Json& schema, const std::string& path, const std::string& at) {
    if (values["not"].is_map()) CheckNestedComplete(values["not"], schema, path, Child(at, "not"));
    for (const std::string_view name : {"allOf", "anyOf", "oneOf"}) {
      const std::string list_path = Child(at, name);
      for (size_t i = 0; i < values[name].size(); ++i) {
        CheckNestedComplete(values[name][i], schema, path, Index(list_path, i));
      }
    }
  }

  void CheckNestedComplete(const Json& nested, const Json& schema, const std::string& path, const std::string& at) {
    const auto require = [&](const std::string& missing, const std::string& where) {
      found_.Required(missing, "because it is defined in " + where);
    };
    CheckValuesComplete(nested, schema, path, at);
    if (nested["items"].is_map()) {
      const std::string items_path = Child(path, "items");
      if (schema["items"].is_map()) {
        CheckNestedComplete(nested["items"], schema["items"], items_path, Child(at, "items"));
      } else {
        require(items_path, Child(at, "items"));
      }
    }
    const std::string properties_path = Child(path, "properties");
    const std::string nested_path = Child(at, "properties");
    for (const Json::Member& member : nested["properties"].members()) {
      const Json* const property = schema["properties"].Find(member.name);
      if (property == nullptr) {
        require(Key(properties_path, member.name), Key(nested_path, member.name));
      } else {
        CheckNestedComplete(member.value, *property, Key(properties_path, member.name), Key(nested_path, member.name));
      }
    }
  }

  FieldErrors found_;
};

// Whether it is made of what a structural schema can have at all; if not, SupportCheck says why.
bool CanBeStructural(const Json& schema) {
  if (!schema.is_map()) return true;
  static constexpr std::string_view kNever[] = {"id",           "$schema",     "$ref",           "patternProperties",
                                                "dependencies", "definitions", "additionalItems"};
  const auto is_there = [&](std::string_view name) {
    return name == "additionalItems" ? !schema[name].is_null() : IsSet(schema, name);
  };
  if (std::ranges::any_of(kNever, is_there) || schema["items"].is_list()) return false;
  const auto all_can = [](const Json& parts) {
    return std::ranges::all_of(parts.items(), CanBeStructural) &&
           std::ranges::all_of(parts.members(), [](const Json::Member& each) { return CanBeStructural(each.value); });
  };
  return all_can(schema["properties"]) && all_can(schema["allOf"]) && all_can(schema["anyOf"]) &&
         all_can(schema["oneOf"]) && CanBeStructural(schema["items"]) && CanBeStructural(schema["not"]) &&
         CanBeStructural(schema["additionalProperties"]);
}

// What is supported of OpenAPI, and how the extensions of Kubernetes go together.
class SupportCheck {
 public:
  explicit SupportCheck(FieldErrors& errors) : errors_(errors) {}

  void Check(const Json& schema, const std::string& path, bool is_root, bool is_in_metadata,
             const std::string& no_default) {
    const size_t before = errors_.all().size();
    CheckSupported(schema, path, is_in_metadata, no_default);
    if (schema["uniqueItems"].AsBool()) {
      errors_.Forbidden(Child(path, "uniqueItems"),
                        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    CheckMembers(schema, path, is_root, is_in_metadata, no_default);
    if (schema["not"].is_map()) Check(schema["not"], Child(path, "not"), false, is_in_metadata, no_default);
    for (const std::string_view name : {"allOf", "oneOf", "anyOf"}) {
      const std::string list_path = Child(path, name);
      for (size_t i = 0; i < schema[name].size(); ++i) {
        Check(schema[name][i], Index(list_path, i), false, is_in_metadata, no_default);
      }
    }
    if (schema["items"].is_map()) Check(schema["items"], Child(path, "items"), false, is_in_metadata, no_default);
    CheckExtensions(schema, path);
    CheckListType(schema, path);
    CheckTextsOfRules(schema, Child(path, kRules));
    if (errors_.all().size() != before) unsound_.insert(&schema);
  }

  // Whether nothing was found in that part of the schema.
  bool IsSound(const Json& part) const { return !unsound_.contains(&part); }

 private:
  void CheckSupported(const Json& schema, const std::string& path, bool is_in_metadata, const std::string& no_default) {
    const std::string& type = schema["type"].text();
    static constexpr std::string_view kTypes[] = {"array", "boolean", "integer", "number", "object", "string"};
    if (!type.empty() && std::ranges::find(kTypes, type) == std::end(kTypes)) {
      errors_.NotSupported(Child(path, "type"), type, {std::begin(kTypes), std::end(kTypes)});
    }
    if (!schema["default"].is_null() && !no_default.empty()) {
      errors_.Forbidden(Child(path, "default"), "must not be set " + no_default);
    }
    for (const std::string_view name :
         {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
      const bool is_there = name == "additionalItems" || name == "dependencies" || name == "$ref"
                                ? !schema[name].is_null()
                                : IsSet(schema, name);
      if (is_there) errors_.Forbidden(Child(path, name), fmt::format("{} is not supported", name));
    }
    if (type == "null") {
      errors_.Forbidden(Child(path, "type"), "type cannot be set to null, use nullable as an alternative");
    }
    if (schema["items"].is_list() && !schema["items"].empty()) {
      errors_.Forbidden(Child(path, "items"), "items must be a schema object and not an array");
    }
    if (is_in_metadata && schema[kEmbedded].AsBool()) {
      errors_.Forbidden(Child(path, kEmbedded), "must not be used inside of resource meta");
    }
  }

  void CheckMembers(const Json& schema, const std::string& path, bool is_root, bool is_in_metadata,
                    const std::string& no_default) {
    const Json& additional = schema["additionalProperties"];
    if (!additional.is_null()) {
      if (!schema["properties"].empty() && (additional.is_map() || !additional.AsBool())) {
        errors_.Forbidden(Child(path, "additionalProperties"),
                          "additionalProperties and properties are mutual exclusive");
      }
      if (additional.is_map()) {
        Check(additional, Child(path, "additionalProperties"), false, is_in_metadata,
              is_in_metadata ? "inside additionalProperties applying to object metadata" : no_default);
      }
    }
    const std::string properties_path = Child(path, "properties");
    for (const Json::Member& member : schema["properties"].members()) {
      const bool is_meta = (is_root || schema[kEmbedded].AsBool()) &&
                           (member.name == "metadata" || member.name == "kind" || member.name == "apiVersion");
      Check(member.value, Key(properties_path, member.name), false, is_in_metadata || is_meta,
            is_meta && is_root ? "in top-level " + member.name : no_default);
    }
  }

  void CheckExtensions(const Json& schema, const std::string& path) {
    const std::string& type = schema["type"].text();
    if (schema[kPreserve].is_bool() && !schema[kPreserve].AsBool()) {
      errors_.Invalid(Child(path, kPreserve), Json::Bool(false), "must be true or undefined");
    }
    const auto expect_type = [&](std::string_view extension, std::string_view expected) {
      if (schema[extension].is_null() || type == expected) return;
      const std::string detail = fmt::format("must be {} if {} is specified", expected, extension);
      if (type.empty()) {
        errors_.Required(Child(path, "type"), detail);
      } else {
        errors_.Invalid(Child(path, "type"), type, detail);
      }
    };
    expect_type(kMapType, "object");
    const std::string& map_type = schema[kMapType].text();
    if (!schema[kMapType].is_null() && map_type != "atomic" && map_type != "granular") {
      errors_.NotSupported(Child(path, kMapType), map_type, {"atomic", "granular"});
    }
    expect_type(kListType, "array");
  }

  void CheckListType(const Json& schema, const std::string& path) {
    const std::string& list_type = schema[kListType].text();
    const Json& items = schema["items"];
    const std::string items_path = Child(path, "items");
    if (list_type == "set" && schema["type"].text() == "array" && items.is_map()) {
      constexpr std::string_view kAtomicItem = "must be atomic as item of a list with x-kubernetes-list-type=set";
      if (items["type"].text() == "array" && IsSet(items, kListType) && items[kListType].text() != "atomic") {
        errors_.Invalid(Child(items_path, kListType), items[kListType], kAtomicItem);
      }
      if (items["type"].text() == "object" && items[kMapType].text() != "atomic") {
        errors_.Invalid(Child(items_path, kMapType), items[kListType], kAtomicItem);
      }
    }
    if (!schema[kListType].is_null() && list_type != "atomic" && list_type != "set" && list_type != "map") {
      errors_.NotSupported(Child(path, kListType), list_type, {"atomic", "set", "map"});
    }
    const Json& keys = schema[kMapKeys];
    if (!keys.empty() && list_type != "map") {
      constexpr std::string_view kMustBeMap = "must be map if x-kubernetes-list-map-keys is non-empty";
      if (list_type.empty()) {
        errors_.Required(Child(path, kListType), kMustBeMap);
      } else {
        errors_.Invalid(Child(path, kListType), list_type, kMustBeMap);
      }
    }
    if (list_type == "map") CheckMapKeys(keys, items, path);
    if ((list_type == "map" || list_type == "set") && items.is_map())
      CheckItemsOfMap(items, keys, list_type, items_path);
  }

  void CheckMapKeys(const Json& keys, const Json& items, const std::string& path) {
    const std::string items_path = Child(path, "items");
    if (keys.empty()) {
      errors_.Required(Child(path, kMapKeys), "must not be empty if x-kubernetes-list-type is map");
    }
    if (items.is_null()) errors_.Required(items_path, "must have a schema if x-kubernetes-list-type is map");
    if (items.is_list()) {
      errors_.Invalid(items_path, items, "must only have a single schema if x-kubernetes-list-type is map");
    }
    if (!items.is_map()) return;
    if (items["type"].text() != "object") {
      return errors_.Invalid(Child(items_path, "type"), items["type"].text(),
                             "must be object if parent array's x-kubernetes-list-type is map");
    }
    std::set<std::string> seen;
    const std::string properties_path = Child(items_path, "properties");
    for (const Json& key : keys.items()) {
      const Json* const property = items["properties"].Find(key.text());
      if (property == nullptr) {
        errors_.Invalid(Child(path, kMapKeys), keys, "entries must all be names of item properties");
      } else if ((*property)["type"].text() == "array" || (*property)["type"].text() == "object") {
        errors_.Invalid(Child(Key(properties_path, key.text()), "type"), items["type"],
                        "must be a scalar type if parent array's x-kubernetes-list-type is map");
      }
      if (!seen.insert(key.text()).second) {
        errors_.Invalid(Child(path, kMapKeys), keys, "must not contain duplicate entries");
      }
    }
  }

  void CheckItemsOfMap(const Json& items, const Json& keys, const std::string& list_type, const std::string& path) {
    if (items["nullable"].AsBool()) {
      errors_.Forbidden(Child(path, "nullable"), "cannot be nullable when x-kubernetes-list-type is " + list_type);
    }
    if (list_type != "map") return;
    const std::string properties_path = Child(path, "properties");
    for (const Json& key : keys.items()) {
      const Json* const property = items["properties"].Find(key.text());
      if (property == nullptr) continue;
      const std::string property_path = Key(properties_path, key.text());
      if (std::ranges::find(items["required"].items(), key) == items["required"].items().end() &&
          (*property)["default"].is_null()) {
        errors_.Required(Child(property_path, "default"),
                         "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required "
                         "property");
      }
      if ((*property)["nullable"].AsBool()) {
        errors_.Forbidden(Child(property_path, "nullable"),
                          "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
      }
    }
  }

  static std::string_view Trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\n\v\f\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\n\v\f\r") - first + 1);
  }

  static bool HasLineBreak(std::string_view text) { return text.find_first_of("\n\r") != std::string_view::npos; }

  void CheckTextsOfRules(const Json& schema, const std::string& path) {
    const Json& rules = schema[kRules];
    std::optional<Schema> read;
    for (size_t i = 0; i < rules.size(); ++i) {
      const Json& rule = rules[i];
      const std::string rule_path = Index(path, i);
      const std::string_view text = Trimmed(rule["rule"].text());
      const std::string& message = rule["message"].text();
      if (text.empty()) {
        errors_.Required(Child(rule_path, "rule"), "rule is not specified");
      } else if (!message.empty() && Trimmed(message).empty()) {
        errors_.Invalid(Child(rule_path, "message"), message, "must be non-empty if specified");
      } else if (HasLineBreak(Trimmed(message))) {
        errors_.Invalid(Child(rule_path, "message"), message, "must not contain line breaks");
      } else if (HasLineBreak(text) && Trimmed(message).empty()) {
        errors_.Required(Child(rule_path, "message"), "message must be specified if rule contains line breaks");
      }
      const std::string& expression = rule["messageExpression"].text();
      if (!expression.empty() && Trimmed(expression).empty()) {
        errors_.Required(Child(rule_path, "messageExpression"), "messageExpression must be non-empty if specified");
      }
      CheckReasonAndPath(rule, rule_path);
      const std::string& field_path = rule["fieldPath"].text();
      if (field_path.empty()) continue;
      if (!read) read = ReadSchema(schema);
      if (!ReadRulePath(field_path, *read)) {
        errors_.Invalid(Child(rule_path, "fieldPath"), field_path, "must be a valid path");
      }
    }
  }

  void CheckReasonAndPath(const Json& rule, const std::string& path) {
    static constexpr std::string_view kReasons[] = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                                    "FieldValueRequired"};
    const std::string& reason = rule["reason"].text();
    if (!rule["reason"].is_null() && std::ranges::find(kReasons, reason) == std::end(kReasons)) {
      errors_.NotSupported(Child(path, "reason"), reason, {std::begin(kReasons), std::end(kReasons)});
    }
    const std::string& field_path = rule["fieldPath"].text();
    if (!field_path.empty() && Trimmed(field_path).empty()) {
      errors_.Invalid(Child(path, "fieldPath"), field_path, "must be non-empty if specified");
    }
    if (HasLineBreak(field_path)) {
      errors_.Invalid(Child(path, "fieldPath"), field_path, "must not contain line breaks");
    }
  }

  FieldErrors& errors_;
  std::set<const Json*> unsound_;
};

// Defaults must fit their own schema and its rules, and have nothing that it does not know.
class DefaultCheck {
 public:
  explicit DefaultCheck(FieldErrors& errors) : errors_(errors) {}

  void Check(const Schema& schema, bool is_resource, const std::string& path) {
    if (budget_ < 0) return;
    if (!schema.standard.is_null()) CheckOne(schema, is_resource, Child(path, "default"));
    if (schema.items != nullptr) Check(*schema.items, schema.items->is_embedded, Child(path, "items"));
    if (schema.additional != nullptr) {
      Check(*schema.additional, schema.additional->is_embedded, Child(path, "additionalProperties"));
    }
    const std::string properties_path = Child(path, "properties");
    for (const SchemaProperty& property : schema.properties) {
      Check(property.schema, property.schema.is_embedded, Key(properties_path, property.name));
    }
  }

 private:
  void CheckOne(const Schema& schema, bool is_resource, const std::string& place) {
    Json pruned = schema.standard;
    PruneValue(pruned, schema);
    if (pruned != schema.standard) errors_.Invalid(place, schema.standard, "must not have unknown fields");
    const size_t before = errors_.all().size();
    ValidateValue(schema.standard, nullptr, schema, place, errors_);
    ValidateResource(schema.standard, schema, is_resource, place, errors_);
    if (errors_.all().size() != before) return;
    const std::unique_ptr<const Rules> rules = Rules::Make(schema, is_resource);
    if (rules == nullptr) return;
    // As one that stays and as one that comes, and the dearer of both counts.
    int64_t left = rules->Check(schema.standard, &schema.standard, false, place, budget_, errors_);
    if (errors_.all().size() == before) {
      left = std::min(left, rules->Check(schema.standard, nullptr, false, place, budget_, errors_));
    }
    budget_ = left;
  }

  FieldErrors& errors_;
  int64_t budget_ = Rules::kBudget;
};

void CheckRootWithStatus(const Json& schema, const std::string& path, FieldErrors& errors) {
  static constexpr std::string_view kAllowed[] = {
      "description",      "type",     "format",           "title",        "maximum",
      "exclusiveMaximum", "minimum",  "exclusiveMinimum", "maxLength",    "minLength",
      "pattern",          "maxItems", "minItems",         "uniqueItems",  "multipleOf",
      "required",         "items",    "properties",       "externalDocs", "example",
      kPreserve,          kRules};
  for (const Json::Member& member : schema.members()) {
    if (!IsSet(schema, member.name)) continue;
    if (member.name == "type" && member.value.text() != "object") {
      return errors.Invalid(Child(path, "type"), member.value.text(),
                            "only \"object\" is allowed as the type at the root of the schema if the status "
                            "subresource is enabled");
    }
    if (std::ranges::find(kAllowed, std::string_view(member.name)) != std::end(kAllowed)) continue;
    return errors.Invalid(path, schema,
                          "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "
                          "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
                          "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at "
                          "the root of the schema if the status subresource is enabled");
  }
}

}  // namespace

void ValidateSchema(const Json& schema, const std::string& path, bool has_status, const KnownExpressions& known,
                    FieldErrors& errors) {
  if (!TypeCheck(errors).Check(schema, path)) return;
  if (has_status) CheckRootWithStatus(schema, path, errors);
  if (schema["nullable"].AsBool()) errors.Forbidden(Child(path, "nullable"), "nullable cannot be true at the root");
  const bool can_be_structural = CanBeStructural(schema);
  const FieldErrors structure = can_be_structural ? Structure().Check(schema, path) : FieldErrors();
  bool checks_rules = can_be_structural && structure.empty();
  for (const FieldError& error : structure.all()) errors.Add(error);
  std::optional<Schema> read;
  checks_rules = checks_rules && HasBoundedExpressions(schema, path, errors);
  if (checks_rules) {
    read = ReadSchema(schema);
    FieldErrors defaults;
    DefaultCheck(defaults).Check(*read, true, path);
    checks_rules = defaults.empty();
    for (const FieldError& error : defaults.all()) errors.Add(error);
  }
  SupportCheck support(errors);
  support.Check(schema, path, true, false, "");
  if (!checks_rules) return;
  CheckRules(schema, *read, path, known, [&](const Json& part) { return support.IsSound(part); }, errors);
}

namespace {

// Whether upstream's encoder leaves the member out.
bool IsLeftOut(std::string_view name, const Json& value) {
  static constexpr std::string_view kPointers[] = {"additionalProperties", "additionalItems", kPreserve, kListType,
                                                   kMapType};
  if (value.is_null()) return true;
  if (name == "default" || name == "example" || value.is_number()) return false;
  if (std::ranges::find(kPointers, name) != std::end(kPointers)) return false;
  if (value.is_bool()) return !value.AsBool();
  return value.is_string() ? value.text().empty() : value.is_list() && value.empty();
}

}  // namespace

void NormalizeMembers(Json& schema) {
  if (!schema.is_map()) return;
  std::vector<std::string> gone;
  for (Json::Member& member : schema.mutable_members()) {
    if (!IsSchemaMember(member.name) || IsLeftOut(member.name, member.value)) {
      gone.push_back(member.name);
      continue;
    }
    const std::string_view name = member.name;
    Json& value = member.value;
    if (name == "properties" || name == "patternProperties" || name == "definitions") {
      if (value.is_map()) {
        for (Json::Member& property : value.mutable_members()) NormalizeMembers(property.value);
      }
    } else if (name == "allOf" || name == "anyOf" || name == "oneOf" || (name == "items" && value.is_list())) {
      if (value.is_list()) {
        for (Json& item : value.mutable_items()) NormalizeMembers(item);
      }
    } else if (name == "items" || name == "not" || name == "additionalProperties" || name == "additionalItems") {
      NormalizeMembers(value);
    }
  }
  for (const std::string& name : gone) schema.Erase(name);
}

}  // namespace berth::server
