// SPDX-License-Identifier: Apache-2.0
#include "server/rest/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "server/rest/aggregated_discovery.h"
#include "server/rest/answer.h"
#include "server/rest/digest.h"

namespace berth::server {
namespace {

constexpr std::string_view kAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

using Words = std::vector<std::string_view>;

// Whether a client takes the aggregated form. Clients name it in one fixed spelling, and first.
bool TakesAggregated(std::string_view accept) {
  while (!accept.empty()) {
    const size_t end = std::min(accept.find(','), accept.size());
    std::string clause;
    std::ranges::copy_if(accept.substr(0, end), std::back_inserter(clause), [](char c) { return c != ' '; });
    if (clause == kAggregated) return true;
    if (clause == "application/json") return false;
    accept.remove_prefix(std::min(end + 1, accept.size()));
  }
  return false;
}

Json ListOf(const Words& words) {
  Json list = Json::MakeList();
  for (const std::string_view word : words) list.Append(Json::String(word));
  return list;
}

// An APIResource.
Json MakeEntry(std::string_view name, std::string_view singular, bool namespaced, std::string_view kind,
               const Words& verbs) {
  return Json{{"name", Json::String(name)},
              {"singularName", Json::String(singular)},
              {"namespaced", Json::Bool(namespaced)},
              {"kind", Json::String(kind)},
              {"verbs", ListOf(verbs)}};
}

void AddEntries(Json& entries, const Resource& resource) {
  Json entry = MakeEntry(resource.plural, resource.singular, resource.namespaced, resource.kind, resource.verbs);
  if (!resource.short_names.empty()) entry.Set("shortNames", ListOf(resource.short_names));
  if (!resource.categories.empty()) entry.Set("categories", ListOf(resource.categories));
  if (!resource.is_virtual()) {
    const Resource& stored = *resource.stored;
    entry.Set("storageVersionHash", ShortDigest(fmt::format("{}/{}/{}", stored.group, stored.version, stored.kind)));
  }
  entries.Append(std::move(entry));
  for (const Subresource& each : resource.subresources) {
    Json& added = entries.Append(
        MakeEntry(fmt::format("{}/{}", resource.plural, each.name), "", resource.namespaced, each.kind, each.verbs));
    if (each.group.empty()) continue;
    added.Set("group", each.group);
    added.Set("version", each.version);
  }
}

Json MakeResourceList(Resources version) {
  Json entries = Json::MakeList();
  for (const auto& resource : version) AddEntries(entries, *resource);
  return Json{{"kind", Json::String("APIResourceList")},
              {"apiVersion", Json::String("v1")},
              {"groupVersion", Json::String(version.front()->api_version)},
              {"resources", std::move(entries)}};
}

Refusal NoAcceptedType() {
  return Refusal(StatusError{.code = 406,
                             .reason = "NotAcceptable",
                             .message = "only the following media types are accepted: application/json, "
                                        "application/yaml, application/vnd.kubernetes.protobuf"});
}

Refusal NoSuchVersion() {
  return Refusal(StatusError{.code = 404,
                             .reason = "NotFound",
                             .message = "the server could not find the requested resource",
                             .has_details = true});
}

// The documents of the core say no version, but protobuf needs it to name the kind.
void SendLegacy(Call& call, Json document, bool is_core) {
  const std::optional<Media> media = NegotiateMedia(call.request.Find("Accept"), {.shows_tables = false});
  if (!media) return SendError(call, NoAcceptedType().error());
  call.media.format = media->format;
  if (is_core && media->format != Media::Format::kProtobuf) document.Erase("apiVersion");
  SendTree(call, 200, document);
}

}  // namespace

Discovery::Discovery(const Catalog& catalog) : catalog_(catalog), core_document_(""), groups_document_("") {
  Refresh();
}

void Discovery::Refresh() {
  if (generation_ == catalog_.generation()) return;
  generation_ = catalog_.generation();
  core_document_ = Document(AggregatedDiscovery(catalog_, true));
  groups_document_ = Document(AggregatedDiscovery(catalog_, false));
  groups_.clear();
  for (Resources rest = catalog_.served(); !rest.empty();) {
    const Resources version = TakeVersion(rest);
    const Resource& first = *version.front();
    const Json entry{{"groupVersion", Json::String(first.api_version)}, {"version", Json::String(first.version)}};
    if (groups_.empty() || groups_.back().name != first.group) {
      groups_.push_back({.name = first.group,
                         .document = Json{{"name", Json::String(first.group)}, {"preferredVersion", entry}},
                         .versions = {}});
    }
    groups_.back().document.Make("versions").Append(entry);
    groups_.back().versions.push_back({.version = first.version, .resources = MakeResourceList(version)});
  }
}

const Discovery::Group* Discovery::Find(std::string_view group) const {
  const auto found = std::ranges::find(groups_, group, &Group::name);
  return found != groups_.end() ? &*found : nullptr;
}

const Discovery::Version* Discovery::Find(const Group& group, std::string_view version) {
  const auto found = std::ranges::find(group.versions, version, &Version::version);
  return found != group.versions.end() ? &*found : nullptr;
}

bool Discovery::HasVersion(std::string_view group, std::string_view version) {
  Refresh();
  const Group* const found = Find(group);
  return found != nullptr && Find(*found, version) != nullptr;
}

Json Discovery::Groups() const {
  Json groups = Json::MakeList();
  for (const Group& group : groups_) {
    if (!group.name.empty()) groups.Append(group.document);
  }
  return Json{
      {"kind", Json::String("APIGroupList")}, {"apiVersion", Json::String("v1")}, {"groups", std::move(groups)}};
}

void Discovery::AnswerRoot(Call& call, bool is_core) const {
  if (TakesAggregated(call.request.Find("Accept"))) {
    return SendDocument(call, is_core ? core_document_ : groups_document_,
                        {.content_type = kAggregated, .cache_control = "public", .varies_by_accept = true});
  }
  if (!is_core) return SendLegacy(call, Groups(), false);
  Json address{{"clientCIDR", Json::String("0.0.0.0/0")}, {"serverAddress", Json::String(call.request.Find("Host"))}};
  SendLegacy(call,
             Json{{"kind", Json::String("APIVersions")},
                  {"apiVersion", Json::String("v1")},
                  {"versions", ListOf({"v1"})},
                  {"serverAddressByClientCIDRs", Json::MakeList({std::move(address)})}},
             true);
}

bool Discovery::Answer(Call& call) {
  const std::vector<std::string>& path = call.target.segments;
  if (path.empty() || (path[0] != "api" && path[0] != "apis")) return false;
  Refresh();
  const bool is_core = path[0] == "api";
  if (path.size() == 1) return AnswerRoot(call, is_core), true;
  const Group* const group = Find(is_core ? std::string_view() : path[1]);
  if (group == nullptr || (!is_core && path[1].empty())) return false;
  if (!is_core && path.size() == 2) {
    Json document = group->document;
    document.Set("kind", "APIGroup");
    document.Set("apiVersion", "v1");
    return SendLegacy(call, std::move(document), false), true;
  }
  const Version* const version = Find(*group, path[is_core ? 1 : 2]);
  if (version == nullptr) return SendError(call, NoSuchVersion().error()), true;
  return SendLegacy(call, version->resources, is_core), true;
}

}  // namespace berth::server
