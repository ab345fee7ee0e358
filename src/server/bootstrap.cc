// SPDX-License-Identifier: Apache-2.0
#include "server/bootstrap.h"

#include "api/typed/typed.h"
#include "base/assert.h"

namespace berth::server {
namespace {

Json Object(std::string_view api_version, std::string_view kind, std::string_view ns, std::string_view name) {
  Json object{{"apiVersion", Json::String(api_version)},
              {"kind", Json::String(kind)},
              {"metadata", Json{{"name", Json::String(name)}}}};
  if (!ns.empty()) object.Make("metadata").Set("namespace", ns);
  return object;
}

void Create(Objects& objects, const Resource& resource, Json object) {
  const std::string ns = object["metadata"]["namespace"].text();
  if (objects.store().Find(resource, ns, object["metadata"]["name"].text()) != nullptr) return;
  const Result<void> canonical = Canonicalize(object, resource.message());
  BERTH_ASSERT(canonical.has_value());
  const Outcome<ObjectPtr> created = objects.Create(resource, ns, std::move(object), {.manager = "kube-apiserver"});
  BERTH_ASSERT(created.has_value());
}

Json PriorityClass(std::string_view name, int64_t value, std::string_view description) {
  Json object = Object("scheduling.k8s.io/v1", "PriorityClass", "", name);
  object.Set("value", Json::Int(value));
  object.Set("description", description);
  return object;
}

// How pods reach the API.
Json ApiService(uint16_t port) {
  Json service = Object("v1", "Service", "default", "kubernetes");
  service.Make("metadata")
      .Set("labels", Json{{"component", Json::String("apiserver")}, {"provider", Json::String("kubernetes")}});
  service.Set("spec", Json{{"clusterIP", Json::String("10.96.0.1")},
                           {"clusterIPs", Json::MakeList({Json::String("10.96.0.1")})},
                           {"type", Json::String("ClusterIP")},
                           {"ports", Json::MakeList({Json{{"name", Json::String("https")},
                                                          {"port", Json::Int(443)},
                                                          {"protocol", Json::String("TCP")},
                                                          {"targetPort", Json::Int(port)}}})}});
  return service;
}

}  // namespace

void CreateNamespace(Objects& objects, std::string_view name) {
  Create(objects, objects.catalog().Get("", "namespaces"), Object("v1", "Namespace", "", name));
}

void CreateInitialObjects(Objects& objects, uint16_t port) {
  const Catalog& catalog = objects.catalog();
  for (const std::string_view name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    CreateNamespace(objects, name);
  }
  const Resource& classes = catalog.Get("scheduling.k8s.io", "priorityclasses");
  Create(objects, classes,
         PriorityClass("system-cluster-critical", 2'000'000'000,
                       "Used for system critical pods that must run in the cluster, but can be moved to another node "
                       "if necessary."));
  Create(objects, classes,
         PriorityClass("system-node-critical", 2'000'001'000,
                       "Used for system critical pods that must not be moved from their current node."));
  Create(objects, catalog.Get("", "services"), ApiService(port));
  Create(objects, catalog.Get("", "configmaps"),
         Object("v1", "ConfigMap", "kube-system", "extension-apiserver-authentication"));
}

}  // namespace berth::server
