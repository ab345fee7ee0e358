// SPDX-License-Identifier: Apache-2.0
#include "server/policies/request_view.h"

#include <utility>

namespace berth::server {
namespace {

// A subresource may have a kind of its own.
Json KindOf(const Resource& resource, std::string_view subresource) {
  const Subresource* const part = resource.FindSubresource(subresource);
  const bool is_other = part != nullptr && !part->kind.empty();
  const bool is_elsewhere = is_other && !part->version.empty();
  return Json{{"group", Json::String(is_elsewhere ? part->group : resource.group)},
              {"version", Json::String(is_elsewhere ? part->version : resource.version)},
              {"kind", Json::String(is_other ? part->kind : resource.kind)}};
}

Json ResourceOf(const Resource& resource) {
  return Json{{"group", Json::String(resource.group)},
              {"version", Json::String(resource.version)},
              {"resource", Json::String(resource.plural)}};
}

}  // namespace

bool IsNamespaceItself(const Resource& resource) { return resource.group.empty() && resource.kind == "Namespace"; }

std::string NamespaceOfRequest(const AdmissionRequest& request) {
  return std::string(IsNamespaceItself(request.resource) ? request.name : request.ns);
}

Json InForm(const Json* object, const Resource& from, const Resource& to) {
  if (object == nullptr) return {};
  if (&from == &to) return *object;
  return FromStored(to, ToStored(from, *object));
}

Json DescribeUser(const WhoAsks& user) {
  if (user) return user();
  return Json{{"username", Json::String("system:admin")},
              {"groups", Json::MakeList({Json::String("system:masters"), Json::String("system:authenticated")})}};
}

Json DescribeRequest(const AdmissionRequest& request, const Resource& as, bool is_dry_run, Json user) {
  const bool is_create = request.verb == Verb::kCreate;
  const bool is_update = request.verb == Verb::kUpdate;
  const std::string_view options = is_create ? "CreateOptions" : is_update ? "UpdateOptions" : "DeleteOptions";
  Json made{{"kind", KindOf(as, request.subresource)},
            {"requestKind", KindOf(request.resource, request.subresource)},
            {"resource", ResourceOf(as)},
            {"requestResource", ResourceOf(request.resource)},
            {"operation", Json::String(is_create   ? "CREATE"
                                       : is_update ? "UPDATE"
                                                   : "DELETE")},
            {"dryRun", Json::Bool(is_dry_run)},
            {"userInfo", std::move(user)},
            {"options", Json{{"kind", Json::String(options)}, {"apiVersion", Json::String("meta.k8s.io/v1")}}}};
  const auto set = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) made.Set(name, value);
  };
  set("name", request.name);
  set("namespace", NamespaceOfRequest(request));
  set("subResource", request.subresource);
  set("requestSubResource", request.subresource);
  return made;
}

}  // namespace berth::server
