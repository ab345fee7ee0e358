// SPDX-License-Identifier: Apache-2.0
// What OpenAPI tells of a custom resource: its schema with what every object has.
//
// Version 2 knows less than definitions say, and kubectl trusts it blindly, so what it would take for a narrower schema
// is left out there.

#include <algorithm>

#include "server/custom/custom_kind.h"

namespace berth::server {
namespace {

using api::JsonWriter;

constexpr std::string_view kApiVersion =
    "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized "
    "schemas to the latest internal value, and may reject unrecognized values. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
constexpr std::string_view kKind =
    "Kind is a string value representing the REST resource this object represents. Servers may infer this from the "
    "endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
constexpr std::string_view kEmbeddedApiVersion =
    "apiVersion defines the versioned schema of this representation of an object. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
constexpr std::string_view kEmbeddedKind =
    "kind is a string value representing the type of this object. In CamelCase. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
constexpr std::string_view kMetadata =
    "Standard object's metadata. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
constexpr std::string_view kPreserves = "x-kubernetes-preserve-unknown-fields";

Json Text(std::string_view description) {
  return Json{{"description", Json::String(description)}, {"type", Json::String("string")}};
}

Json Reference(bool is_v2, std::string_view name) {
  return Json{{"$ref", Json::String((is_v2 ? "#/definitions/" : "#/components/schemas/") + std::string(name))}};
}

void AddMetadata(Json& properties, bool is_v2) {
  Json metadata = Reference(is_v2, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  if (!is_v2) metadata = Json{{"allOf", Json::MakeList({std::move(metadata)})}};
  metadata.Set("description", kMetadata);
  properties.Set("metadata", std::move(metadata));
}

void DropRequired(Json& schema, std::string_view name) {
  Json::List required = std::as_const(schema)["required"].items();
  std::erase_if(required, [&](const Json& each) { return each.text() == name; });
  if (required.empty()) {
    schema.Erase("required");
  } else {
    schema.Set("required", Json::MakeList(std::move(required)));
  }
}

// What a client of v2 cannot take: values of two types or of any type, and members that it does not know.
void Narrow(Json& schema) {
  for (const std::string_view name : {"allOf", "anyOf", "oneOf", "not", "default"}) schema.Erase(name);
  const Json& seen = schema;
  const bool is_nullable = seen["nullable"].AsBool();
  const bool preserves = seen[kPreserves].AsBool();
  schema.Erase("nullable");
  if (is_nullable) schema.Erase("type");
  if (is_nullable || preserves) {
    schema.Erase("items");
    schema.Erase("properties");
  }
  const std::string& type = seen["type"].text();
  if ((type == "array" && !seen.Has("items")) || (type == "object" && preserves)) schema.Erase("type");
  const Json properties = seen["properties"];
  for (const Json::Member& property : properties.members()) {
    if (property.value["nullable"].AsBool()) DropRequired(schema, property.name);
  }
  if (seen["additionalProperties"]["nullable"].AsBool()) schema.Erase("required");
}

bool IsIntOrString(const Json& choices) {
  return choices.size() == 2 && choices[size_t{0}]["type"].text() == "integer" &&
         choices[size_t{1}]["type"].text() == "string";
}

// Says in OpenAPI's own words that a value may be of two types.
void Unfold(Json& schema) {
  const Json& seen = schema;
  if (!seen["x-kubernetes-int-or-string"].AsBool()) return;
  if (IsIntOrString(seen["anyOf"]) || IsIntOrString(seen["allOf"][size_t{0}]["anyOf"])) return;
  Json choices = Json::MakeList({Json{{"type", Json::String("integer")}}, Json{{"type", Json::String("string")}}});
  if (!seen.Has("anyOf")) {
    schema.Set("anyOf", std::move(choices));
    return;
  }
  Json::List all{Json{{"anyOf", std::move(choices)}}};
  for (const Json& each : seen["allOf"].items()) all.push_back(each);
  schema.Set("allOf", Json::MakeList(std::move(all)));
}

// An object in an object has what every object has.
void AddEmbedded(Json& schema, bool is_v2) {
  const Json& seen = schema;
  if (!seen["x-kubernetes-embedded-resource"].AsBool() || (is_v2 && seen[kPreserves].AsBool())) return;
  Json& properties = schema.Make("properties");
  properties.Set("apiVersion", Text(kEmbeddedApiVersion));
  properties.Set("kind", Text(kEmbeddedKind));
  AddMetadata(properties, is_v2);
  Json::List required = seen["required"].items();
  for (const std::string_view name : {"kind", "apiVersion"}) {
    const Json text = Json::String(name);
    if (std::ranges::find(required, text) == required.end()) required.push_back(text);
  }
  schema.Set("required", Json::MakeList(std::move(required)));
}

void Show(Json& schema, bool is_v2) {
  if (!schema.is_map()) return;
  if (is_v2) {
    Narrow(schema);
  } else {
    Unfold(schema);
  }
  if (Json* const properties = schema.Find("properties"); properties != nullptr && properties->is_map()) {
    for (Json::Member& property : properties->mutable_members()) Show(property.value, is_v2);
  }
  for (const std::string_view name : {"items", "additionalProperties"}) {
    if (Json* const nested = schema.Find(name)) Show(*nested, is_v2);
  }
  AddEmbedded(schema, is_v2);
}

}  // namespace

void CustomKind::WriteOpenApi(JsonWriter& out, bool is_v2) const {
  Json schema{{"type", Json::String("object")}};
  // A client of v2 would take the properties that are named for all that there may be.
  const bool shows = source_.is_map() && !(is_v2 && source_[kPreserves].AsBool());
  if (shows) {
    schema = source_;
    Show(schema, is_v2);
    Json& properties = schema.Make("properties");
    properties.Set("apiVersion", Text(kApiVersion));
    properties.Set("kind", Text(kKind));
    AddMetadata(properties, is_v2);
  }
  schema.Set(
      "x-kubernetes-group-version-kind",
      Json::MakeList(
          {Json{{"group", Json::String(group_)}, {"kind", Json::String(kind_)}, {"version", Json::String(version_)}}}));
  if (!selectable_.empty()) {
    Json::List fields;
    for (const std::string_view path : selectable_) fields.push_back(Json{{"fieldPath", Json::String(path)}});
    schema.Set("x-kubernetes-selectable-fields", Json::MakeList(std::move(fields)));
  }
  out.Copy(api::Value(schema));
}

}  // namespace berth::server
