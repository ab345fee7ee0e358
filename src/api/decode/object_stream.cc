// SPDX-License-Identifier: Apache-2.0
#include "api/decode/object_stream.h"

#include <fmt/format.h>

#include "api/decode/decode_kinds.h"
#include "api/decode/field_reader.h"

namespace berth::api {
namespace {

constexpr std::string_view kListSuffix = "List";

struct TypeMeta {
  std::string kind;
  std::string api_version;
  bool is_from_server = false;
};

bool IsList(const TypeMeta& type, Value value) {
  return type.kind == kListSuffix || (type.kind.ends_with(kListSuffix) && value["items"].is_list());
}

// What the items of a list are unless they say it: a PodList holds Pods, a List anything.
TypeMeta ItemType(TypeMeta list) {
  if (list.kind == kListSuffix) return {.kind = {}, .api_version = {}, .is_from_server = list.is_from_server};
  list.kind.resize(list.kind.size() - kListSuffix.size());
  return list;
}

// Lists of `kubectl get` have a resourceVersion as well, though it may be empty.
bool HasServerMetadata(Value value) {
  const Value meta = value["metadata"];
  return !meta["uid"].is_null() || !meta["resourceVersion"].is_null() || !meta["managedFields"].is_null();
}

Result<void> Flatten(Value value, TypeMeta type, std::vector<ManifestObject>& objects);

Result<void> FlattenItems(Value items, const TypeMeta& type, std::vector<ManifestObject>& objects) {
  for (size_t i = 0; i < items.size(); ++i) BERTH_CHECK_OK(Flatten(items[i], type, objects));
  return {};
}

// `type` is what the value is unless it says so itself.
Result<void> Flatten(Value value, TypeMeta type, std::vector<ManifestObject>& objects) {
  if (value.is_list()) return FlattenItems(value, type, objects);
  FieldReader r(value);
  r.Read("kind", type.kind);
  r.Read("apiVersion", type.api_version);
  if (type.kind.empty()) r.Fail("kind is missing");
  type.is_from_server = type.is_from_server || HasServerMetadata(value);
  const bool is_list = IsList(type, value);
  if (is_list && r.Has("items") && !value["items"].is_list()) r.Fail("items is not a list");
  if (!r.ok()) return std::unexpected(r.error());
  if (is_list) return FlattenItems(value["items"], ItemType(std::move(type)), objects);
  objects.push_back({std::move(type.kind), std::move(type.api_version), value, type.is_from_server});
  return {};
}

}  // namespace

Result<std::vector<ManifestObject>> FlattenManifests(const std::vector<Document>& documents) {
  std::vector<ManifestObject> objects;
  for (const Document& document : documents) BERTH_CHECK_OK(Flatten(document.root(), {}, objects));
  return objects;
}

Result<Object> DecodeObject(const ManifestObject& object) {
  return DecodeObjectAs(object.kind, object.api_version, object.value);
}

}  // namespace berth::api
