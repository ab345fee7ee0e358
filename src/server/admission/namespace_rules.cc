// SPDX-License-Identifier: Apache-2.0
#include "server/admission/rules.h"

namespace berth::server {
namespace {

bool MustStay(std::string_view ns) { return ns == "default" || ns == "kube-system" || ns == "kube-public"; }

}  // namespace

std::vector<ObjectPtr> ObjectsIn(const ClusterView& cluster, const Resource& resource, std::string_view ns) {
  std::vector<ObjectPtr> found;
  const Store::Objects& all = cluster.store.All(resource);
  if (all.empty()) return found;
  const std::string prefix = std::string(ns) + "/";
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    found.push_back(at->second);
  }
  return found;
}

Outcome<void> CheckNamespace(const AdmissionRequest& request, const ClusterView& cluster) {
  if (request.resource.plural == "namespaces") {
    if (request.verb == Verb::kDelete && MustStay(request.name)) {
      return Forbidden(request.resource, request.name, "this namespace may not be deleted");
    }
    return {};
  }
  if (request.verb != Verb::kCreate || request.ns.empty()) return {};
  const Resource& namespaces = cluster.catalog.Get("", "namespaces");
  const ObjectPtr found = cluster.store.Find(namespaces, "", request.ns);
  if (found == nullptr) return NotFound(namespaces, request.ns);
  if (found->Field("status.phase") != "Terminating") return {};
  const std::string ns(request.ns);
  Refusal refusal = Forbidden(request.resource, request.name,
                              "unable to create new content in namespace " + ns + " because it is being terminated");
  refusal.error().causes.push_back({.reason = "NamespaceTerminating",
                                    .message = "namespace " + ns + " is being terminated",
                                    .field = "metadata.namespace"});
  return refusal;
}

}  // namespace berth::server
