// SPDX-License-Identifier: Apache-2.0
// What OpenAPI tells of a custom resource: its schema as it is written, with what every object has.

#include "server/custom/custom_kind.h"

namespace berth::server {
namespace {

using api::JsonWriter;

// Members that only OpenAPI v3 has are left out of v2, as are values of which v2 cannot tell.
bool IsShown(const Json::Member& member, bool is_v2) {
  if (!is_v2) return true;
  return member.name != "anyOf" && member.name != "oneOf" && member.name != "not" && member.name != "nullable" &&
         member.name != "default";
}

Json Shown(const Json& schema, bool is_v2) {
  if (!is_v2 || !schema.is_map()) return schema;
  Json shown = Json::MakeMap();
  for (const Json::Member& member : schema.members()) {
    if (!IsShown(member, is_v2)) continue;
    if (member.name == "properties") {
      Json properties = Json::MakeMap();
      for (const Json::Member& property : member.value.members()) {
        properties.Set(property.name, Shown(property.value, is_v2));
      }
      shown.Set("properties", std::move(properties));
    } else if (member.name == "items" || member.name == "additionalProperties") {
      shown.Set(member.name, Shown(member.value, is_v2));
    } else {
      shown.Set(member.name, member.value);
    }
  }
  // Clients of v2 do not know what a value of two types or of any type is.
  if (schema["x-kubernetes-preserve-unknown-fields"].AsBool()) shown.Erase("properties");
  return shown;
}

Json Reference(bool is_v2, std::string_view name) {
  return Json{{"$ref", Json::String((is_v2 ? "#/definitions/" : "#/components/schemas/") + std::string(name))}};
}

}  // namespace

void CustomKind::WriteOpenApi(JsonWriter& out, bool is_v2) const {
  constexpr std::string_view kApiVersion =
      "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized "
      "schemas to the latest internal value, and may reject unrecognized values. More info: "
      "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
  constexpr std::string_view kKind =
      "Kind is a string value representing the REST resource this object represents. Servers may infer this from the "
      "endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: "
      "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
  Json schema = Shown(source_, is_v2);
  const auto text = [](std::string_view description) {
    return Json{{"description", Json::String(description)}, {"type", Json::String("string")}};
  };
  schema.Set("type", "object");
  Json& properties = schema.Make("properties");
  properties.Set("apiVersion", text(kApiVersion));
  properties.Set("kind", text(kKind));
  Json metadata = Reference(is_v2, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  if (!is_v2) metadata = Json{{"allOf", Json::MakeList({std::move(metadata)})}};
  metadata.Set("description",
               "Standard object's metadata. More info: "
               "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata");
  properties.Set("metadata", std::move(metadata));
  schema.Set(
      "x-kubernetes-group-version-kind",
      Json::MakeList(
          {Json{{"group", Json::String(group_)}, {"kind", Json::String(kind_)}, {"version", Json::String(version_)}}}));
  out.Copy(api::Value(schema));
}

}  // namespace berth::server
