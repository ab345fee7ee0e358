// SPDX-License-Identifier: Apache-2.0
#include "server/store/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/decode/object_stream.h"
#include "api/document/value.h"
#include "api/document/yaml_writer.h"
#include "api/typed/typed.h"
#include "base/assert.h"
#include "server/model/metadata.h"
#include "server/store/object_bounds.h"
#include "server/store/stored_object.h"

namespace berth::server {
namespace {

int LoadRank(const Resource& resource) {
  if (resource.kind == "Namespace" || resource.kind == "CustomResourceDefinition") return 0;
  if (!resource.namespaced) return 1;
  return resource.kind == "Pod" ? 3 : 2;
}

std::string Describe(const api::ManifestObject& object) {
  const api::Value metadata = object.value["metadata"];
  return fmt::format("{} {} {}", object.api_version, object.kind,
                     ObjectKey(metadata["namespace"].text(), metadata["name"].text()));
}

// Before anything of the dump is loaded.
Result<void> CheckStorable(const Json& object, const Resource& resource) {
  FieldErrors errors;
  ValidateIdentity(object, resource, errors);
  if (!errors.empty()) return Invalid(errors.all().front().field + ": " + errors.all().front().message);
  if (const Outcome<void> bounds = CheckBounds(resource, object); !bounds) return Invalid(bounds.error().message);
  return {};
}

// As another server would take it.
Result<Json> ForLoading(const api::ManifestObject& manifest, const Resource& resource) {
  Json object = Json::FromValue(manifest.value);
  object.Set("kind", manifest.kind);
  object.Set("apiVersion", manifest.api_version);
  BERTH_CHECK_OK(resource.schema().Canonicalize(object));
  Json& metadata = object.Make("metadata");
  if (metadata["name"].text().empty()) return Invalid("metadata.name is missing");
  metadata.Erase("resourceVersion");
  if (!resource.namespaced) {
    metadata.Erase("namespace");
  } else if (metadata["namespace"].text().empty()) {
    metadata.Set("namespace", "default");
  }
  BERTH_CHECK_OK(CheckStorable(object, resource));
  return object;
}

}  // namespace

std::vector<const Resource*> LoadOrder(const Catalog& catalog) {
  std::vector<const Resource*> resources;
  for (const auto& resource : catalog.all()) {
    if (!resource->is_virtual() && resource->stored == resource.get()) resources.push_back(resource.get());
  }
  std::ranges::stable_sort(resources, {}, [](const Resource* resource) { return LoadRank(*resource); });
  return resources;
}

Result<Dump> ReadDump(const Catalog& catalog, std::string_view text) {
  const std::vector<api::Document> documents = BERTH_TRY(api::ParseJsonOrYaml(text));
  const std::vector<api::ManifestObject> manifests = BERTH_TRY(api::FlattenManifests(documents));
  Dump dump;
  std::map<std::pair<const Resource*, std::string>, size_t> places;  // Of objects, by resource and key.
  for (const api::ManifestObject& manifest : manifests) {
    const Resource* resource = catalog.FindKind(manifest.api_version, manifest.kind);
    if (resource == nullptr || !resource->is_served) {
      dump.skipped.push_back(Describe(manifest));
      continue;
    }
    Result<Json> object = ForLoading(manifest, *resource);
    if (!object) return Fail(object.error().code, fmt::format("{}: {}", Describe(manifest), object.error().message));
    const Json& metadata = (*object)["metadata"];
    const std::string& ns = metadata["namespace"].text();
    if (!ns.empty()) dump.namespaces.insert(ns);
    const auto [place, is_new] =
        places.emplace(std::pair(resource->stored, ObjectKey(ns, metadata["name"].text())), dump.objects.size());
    if (is_new) dump.objects.emplace_back();
    dump.objects[place->second] = {.resource = resource, .object = *std::move(object)};
  }
  std::ranges::stable_sort(dump.objects, {}, [](const Dump::Entry& entry) { return LoadRank(*entry.resource); });
  return dump;
}

void DumpWriter::Add(const Json& object) {
  if (!std::exchange(has_items_, true)) out_("apiVersion: v1\nitems:\n");
  const std::string yaml = api::ToYaml(api::Value(object), api::YamlOrder::kSorted);
  std::string item;
  item.reserve(yaml.size() + yaml.size() / 8);
  for (std::string_view rest = yaml; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (!line.empty()) item.append(item.empty() ? "- " : "  ").append(line);
    item += '\n';
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  out_(item);
}

void DumpWriter::End() {
  out_(has_items_ ? "" : "apiVersion: v1\nitems: []\n");
  out_("kind: List\nmetadata:\n  resourceVersion: \"\"\n");
}

}  // namespace berth::server
