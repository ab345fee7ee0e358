// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/device_templates.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "api/decode/object_stream.h"
#include "api/typed/typed.h"
#include "server/model/field_errors.h"
#include "server/model/metadata.h"
#include "server/model/strategy.h"
#include "server/rest/selection.h"

namespace berth::server {
namespace {

constexpr size_t kObjectsMax = 1000;
constexpr std::string_view kPlaceholder = "$(NODE)";
constexpr std::string_view kNodeSelector = "berth.dev/node-selector";

void Replace(std::string& text, std::string_view node) {
  for (size_t at = 0; (at = text.find(kPlaceholder, at)) != text.npos; at += node.size()) {
    text.replace(at, kPlaceholder.size(), node);
  }
}

void Replace(Json& value, std::string_view node) {
  if (value.is_string()) return Replace(value.mutable_text(), node);
  if (value.is_list()) {
    for (Json& item : value.mutable_items()) Replace(item, node);
  } else if (value.is_map()) {
    for (Json::Member& member : value.mutable_members()) Replace(member.value, node);
  }
}

bool IsTemplate(const Json& slice) { return slice["spec"]["nodeName"].text() == kPlaceholder; }

// The first thing that the API server would say against the object.
Result<void> Check(Json object, const Resource& resource) {
  resource.strategy->Default(object, true);
  resource.strategy->PrepareCreate(object);
  FieldErrors errors;
  ValidateMetadata(object, resource, errors);
  resource.strategy->Validate(object, errors);
  if (errors.empty()) return {};
  return Invalid(fmt::format("{}: {}", errors.all().front().field, errors.all().front().message));
}

Result<void> AddSlice(Json slice, const Resource& resource, DeviceTemplates& devices) {
  const std::string selector = slice["metadata"]["annotations"][kNodeSelector].text();
  if (!IsTemplate(slice)) {
    if (!selector.empty()) {
      return Invalid(
          fmt::format("metadata.annotations: {} is for slices whose spec.nodeName is {}", kNodeSelector, kPlaceholder));
    }
    BERTH_CHECK_OK(Check(slice, resource));
    devices.objects.push_back({std::string(resource.plural), std::move(slice)});
    return {};
  }
  if (slice["metadata"]["name"].text().find(kPlaceholder) == std::string::npos) {
    return Invalid(
        fmt::format("metadata.name: must have {} in it, as every node gets a slice of its own", kPlaceholder));
  }
  Result<api::Selector> nodes = ParseLabelSelector(selector);
  if (!nodes) return Invalid(fmt::format("metadata.annotations[{}]: {}", kNodeSelector, nodes.error().message));
  slice.Make({"metadata", "annotations"}).Erase(kNodeSelector);
  if (slice["metadata"]["annotations"].empty()) slice.Make("metadata").Erase("annotations");
  // A pool for each node, as drivers have it.
  Json& pool = slice.Make({"spec", "pool"});
  if (pool["name"].text().empty()) pool.Set("name", kPlaceholder);
  Json example = slice;
  Replace(example, "node");
  if (pool["resourceSliceCount"].IntOr(0) == 0) example.Make({"spec", "pool"}).Set("resourceSliceCount", Json::Int(1));
  BERTH_CHECK_OK(Check(std::move(example), resource));
  devices.slices.push_back({std::move(slice), *std::move(nodes)});
  return {};
}

Result<void> AddManifest(const api::ManifestObject& manifest, const Catalog& catalog, DeviceTemplates& devices) {
  const Resource* resource = catalog.FindKind(manifest.api_version, manifest.kind);
  const bool is_known = resource != nullptr && resource->group == "resource.k8s.io" && !resource->namespaced;
  if (!is_known) {
    return Invalid("expected a DeviceClass, ResourceSlice or DeviceTaintRule of resource.k8s.io/v1");
  }
  const auto unknown = StrictErrors(manifest.value, resource->message());
  if (!unknown.empty()) return Invalid(unknown.front().ToText());
  Json object = Json::FromValue(manifest.value);
  object.Set("kind", manifest.kind);
  object.Set("apiVersion", manifest.api_version);
  BERTH_CHECK_OK(Canonicalize(object, resource->message()));
  if (resource->kind == "ResourceSlice") return AddSlice(std::move(object), *resource, devices);
  BERTH_CHECK_OK(Check(object, *resource));
  devices.objects.push_back({std::string(resource->plural), std::move(object)});
  return {};
}

}  // namespace

std::vector<Json> DeviceTemplates::SlicesOf(std::string_view node, const api::Labels& labels) const {
  std::vector<Json> made;
  for (const SliceTemplate& each : slices) {
    if (!each.nodes.Matches(labels)) continue;
    Json slice = each.slice;
    Replace(slice, node);
    made.push_back(std::move(slice));
  }
  // How many slices a pool has need not be counted by hand.
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  const auto pool_of = [](const Json& slice) {
    return std::pair(slice["spec"]["driver"].text(), slice["spec"]["pool"]["name"].text());
  };
  for (const Json& slice : made) ++counts[pool_of(slice)];
  for (Json& slice : made) {
    if (slice["spec"]["pool"]["resourceSliceCount"].IntOr(0) != 0) continue;
    slice.Make({"spec", "pool"}).Set("resourceSliceCount", Json::Int(counts[pool_of(slice)]));
  }
  return made;
}

std::vector<std::string> DeviceTemplates::SliceNames(std::string_view node) const {
  std::vector<std::string> names;
  for (const SliceTemplate& each : slices) Replace(names.emplace_back(each.slice["metadata"]["name"].text()), node);
  return names;
}

Result<DeviceTemplates> ParseDevices(std::string_view text) {
  const std::vector<api::Document> documents = BERTH_TRY(api::ParseJsonOrYaml(text));
  const std::vector<api::ManifestObject> manifests = BERTH_TRY(api::FlattenManifests(documents));
  if (manifests.size() > kObjectsMax) {
    return Invalid(fmt::format("has {} objects, and {} is the most", manifests.size(), kObjectsMax));
  }
  const Catalog catalog;
  DeviceTemplates devices;
  for (const api::ManifestObject& manifest : manifests) {
    const Result<void> added = AddManifest(manifest, catalog, devices);
    if (added) continue;
    const std::string line = manifest.value.line() == 0 ? "" : fmt::format("line {}: ", manifest.value.line());
    return Fail(added.error().code, fmt::format("{}{} {}: {}", line, manifest.kind,
                                                manifest.value["metadata"]["name"].text(), added.error().message));
  }
  return devices;
}

}  // namespace berth::server
