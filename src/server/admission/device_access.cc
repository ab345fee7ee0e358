// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "server/admission/rules.h"
#include "server/model/field_errors.h"

namespace berth::server {
namespace {

constexpr std::string_view kAdminLabel = "resource.kubernetes.io/admin-access";

// The path of the first of the items that asks for it; empty if none does. `member` is where an item says so.
std::string FindAdminAccess(const Json& items, std::string_view member, std::string_view path) {
  for (size_t i = 0; i < items.size(); ++i) {
    const Json& item = member.empty() ? items[i] : items[i][member];
    if (item["adminAccess"].AsBool()) return Child(Index(path, i), "adminAccess");
  }
  return {};
}

// What of the request is new and asks for it.
std::string PathOfAdminAccess(const AdmissionRequest& request) {
  const Json& object = *request.object;
  if (request.subresource == "status") {
    constexpr std::string_view kResults = "status.allocation.devices.results";
    const Json& old = (*request.old)["status"]["allocation"]["devices"]["results"];
    if (!FindAdminAccess(old, "", kResults).empty()) return {};
    return FindAdminAccess(object["status"]["allocation"]["devices"]["results"], "", kResults);
  }
  if (request.verb != Verb::kCreate) return {};
  const bool is_template = request.resource.plural == "resourceclaimtemplates";
  const Json& spec = is_template ? object["spec"]["spec"] : object["spec"];
  return FindAdminAccess(spec["devices"]["requests"], "exactly", "spec.devices.requests");
}

}  // namespace

Outcome<void> CheckAdminAccess(const AdmissionRequest& request, const ClusterView& cluster) {
  if (request.resource.group != "resource.k8s.io" || request.object == nullptr || request.ns.empty()) return {};
  const std::string path = PathOfAdminAccess(request);
  if (path.empty()) return {};
  const ObjectPtr found = cluster.store.Find(cluster.catalog.Get("", "namespaces"), "", request.ns);
  if (found != nullptr && (*found->tree())["metadata"]["labels"][kAdminLabel].text() == "true") return {};
  FieldErrors errors;
  errors.Forbidden(path,
                   "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on "
                   "the containing namespace");
  return Invalid(request.resource, request.name, std::move(errors));
}

}  // namespace berth::server
