// SPDX-License-Identifier: Apache-2.0
#include "server/rest/aggregated_discovery.h"

#include <algorithm>

#include "api/document/json_writer.h"

namespace berth::server {
namespace {

using Words = std::vector<std::string_view>;

void WriteWords(api::JsonWriter& out, std::string_view name, const Words& words) {
  if (words.empty()) return;
  out.Key(name).BeginArray();
  for (const std::string_view word : words) out.String(word);
  out.EndArray();
}

void WriteResponseKind(api::JsonWriter& out, std::string_view group, std::string_view version, std::string_view kind) {
  out.Key("responseKind").BeginObject();
  out.Key("group").String(group).Key("version").String(version).Key("kind").String(kind);
  out.EndObject();
}

// Of a kind of the group-version itself: only custom resources say it again.
void WriteOwnKind(api::JsonWriter& out, const Resource& resource) {
  const bool is_custom = resource.custom != nullptr;
  WriteResponseKind(out, is_custom ? resource.group : "", is_custom ? resource.version : "", resource.kind);
}

void WriteSubresources(api::JsonWriter& out, const Resource& resource) {
  if (resource.subresources.empty()) return;
  out.Key("subresources").BeginArray();
  for (const Subresource& each : resource.subresources) {
    out.BeginObject().Key("subresource").String(each.name);
    if (each.group.empty() && each.kind == resource.kind) {
      WriteOwnKind(out, resource);
    } else {
      WriteResponseKind(out, each.group, each.version, each.kind);
    }
    WriteWords(out, "verbs", each.verbs);
    out.EndObject();
  }
  out.EndArray();
}

void WriteResource(api::JsonWriter& out, const Resource& resource) {
  out.BeginObject().Key("resource").String(resource.plural);
  WriteOwnKind(out, resource);
  out.Key("scope").String(resource.namespaced ? "Namespaced" : "Cluster");
  out.Key("singularResource").String(resource.singular);
  WriteWords(out, "verbs", resource.verbs);
  WriteWords(out, "shortNames", resource.short_names);
  WriteWords(out, "categories", resource.categories);
  WriteSubresources(out, resource);
  out.EndObject();
}

void WriteVersion(api::JsonWriter& out, Resources version) {
  out.BeginObject().Key("version").String(version.front()->version);
  out.Key("resources").BeginArray();
  for (const auto& resource : version) WriteResource(out, *resource);
  out.EndArray().Key("freshness").String("Current").EndObject();
}

}  // namespace

Resources TakeVersion(Resources& rest) {
  const auto end = std::ranges::find_if(
      rest, [&](const auto& resource) { return resource->api_version != rest.front()->api_version; });
  const Resources version = rest.first(static_cast<size_t>(end - rest.begin()));
  rest = rest.subspan(version.size());
  return version;
}

std::string AggregatedDiscovery(const Catalog& catalog, bool is_core) {
  api::JsonWriter out;
  out.BeginObject().Key("kind").String("APIGroupDiscoveryList");
  out.Key("apiVersion").String("apidiscovery.k8s.io/v2").Key("metadata").BeginObject().EndObject();
  out.Key("items").BeginArray();
  for (Resources rest = catalog.served(); !rest.empty();) {
    const std::string_view group = rest.front()->group;
    const bool is_wanted = group.empty() == is_core;
    if (is_wanted) {
      out.BeginObject().Key("metadata").BeginObject().Text("name", group).EndObject();
      out.Key("versions").BeginArray();
    }
    while (!rest.empty() && rest.front()->group == group) {
      const Resources version = TakeVersion(rest);
      if (is_wanted) WriteVersion(out, version);
    }
    if (is_wanted) out.EndArray().EndObject();
  }
  out.EndArray().EndObject();
  return out.Take();
}

}  // namespace berth::server
