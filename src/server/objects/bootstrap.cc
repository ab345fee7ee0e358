// SPDX-License-Identifier: Apache-2.0
#include "server/objects/bootstrap.h"

#include <vector>

#include "api/typed/typed.h"
#include "base/assert.h"
#include "server/objects/namespace_defaults.h"
#include "server/store/storage_class.h"

namespace berth::server {
namespace {

Json Object(std::string_view api_version, std::string_view kind, std::string_view ns, std::string_view name) {
  Json object{{"apiVersion", Json::String(api_version)},
              {"kind", Json::String(kind)},
              {"metadata", Json{{"name", Json::String(name)}}}};
  if (!ns.empty()) object.Make("metadata").Set("namespace", ns);
  return object;
}

Outcome<void> Create(Objects& objects, const Resource& resource, Json object) {
  const std::string ns = object["metadata"]["namespace"].text();
  if (objects.store().Find(resource, ns, object["metadata"]["name"].text()) != nullptr) return {};
  const Result<void> canonical = Canonicalize(object, resource.message());
  BERTH_ASSERT(canonical.has_value());
  BERTH_CHECK_OK(objects.Create(resource, ns, std::move(object), {.manager = "kube-apiserver"}));
  return {};
}

Json PriorityClass(std::string_view name, int64_t value, std::string_view description) {
  Json object = Object("scheduling.k8s.io/v1", "PriorityClass", "", name);
  object.Set("value", Json::Int(value));
  object.Set("description", description);
  return object;
}

// Where the addresses of services come from.
Outcome<void> CreateServiceCidr(Objects& objects) {
  const Resource& resource = objects.catalog().Get("networking.k8s.io", "servicecidrs");
  if (objects.store().Find(resource, "", "kubernetes") != nullptr) return {};
  Json cidr = Object("networking.k8s.io/v1", "ServiceCIDR", "", "kubernetes");
  cidr.Set("spec", Json{{"cidrs", Json::MakeList({Json::String("10.96.0.0/12")})}});
  BERTH_CHECK_OK(Create(objects, resource, std::move(cidr)));
  const auto say_ready = [&objects](const Json& current) -> Outcome<Json> {
    Json ready = current;
    ready.Make({"status", "conditions"})
        .Append(Json{{"type", Json::String("Ready")},
                     {"status", Json::String("True")},
                     {"reason", Json::String("")},
                     {"message", Json::String("Kubernetes default Service CIDR is ready")},
                     {"lastTransitionTime", Json::String(FormatTime(objects.now()))}});
    return ready;
  };
  BERTH_CHECK_OK(objects.Update(resource, "", "kubernetes",
                                {.manager = "kubernetes-service-cidr-controller", .subresource = "status"}, say_ready));
  return {};
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

Outcome<void> CreateNamespace(Objects& objects, std::string_view name) {
  return Create(objects, objects.catalog().Get("", "namespaces"), Object("v1", "Namespace", "", name));
}

std::vector<std::string> CreateInitialObjects(Objects& objects, uint16_t port) {
  const Catalog& catalog = objects.catalog();
  std::vector<std::string> problems;
  const auto note = [&](const Outcome<void>& created) {
    if (!created) problems.push_back("an initial object could not be made: " + created.error().message);
  };
  const auto create = [&](const Resource& resource, Json object) {
    note(Create(objects, resource, std::move(object)));
  };
  const Resource& namespaces = catalog.Get("", "namespaces");
  for (const std::string_view name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    create(namespaces, Object("v1", "Namespace", "", name));
  }
  const Resource& classes = catalog.Get("scheduling.k8s.io", "priorityclasses");
  create(classes,
         PriorityClass("system-cluster-critical", 2'000'000'000,
                       "Used for system critical pods that must run in the cluster, but can be moved to another node "
                       "if necessary."));
  create(classes, PriorityClass("system-node-critical", 2'000'001'000,
                                "Used for system critical pods that must not be moved from their current node."));
  note(CreateServiceCidr(objects));
  create(catalog.Get("", "services"), ApiService(port));
  create(catalog.Get("", "configmaps"), Object("v1", "ConfigMap", "kube-system", "extension-apiserver-authentication"));
  return problems;
}

void CreateNamespaceDefaults(Objects& objects, const std::string& root_ca) {
  std::vector<std::string> names;
  for (const auto& [name, object] : objects.store().All(objects.catalog().Get("", "namespaces"))) names.push_back(name);
  // What is refused now is tried again by the controller, which says so.
  for (const std::string& name : names) (void)AddNamespaceDefaults(objects, name, root_ca);
}

void CreateStorageClass(Objects& objects) {
  const Resource& classes = objects.catalog().Get("storage.k8s.io", "storageclasses");
  if (objects.store().Count(classes) > 0) return;
  Json standard = Object("storage.k8s.io/v1", "StorageClass", "", "standard");
  standard.Make({"metadata", "annotations"}).Set(kDefaultClassAnnotation, "true");
  standard.Set("provisioner", kSimulatedDriver);
  standard.Set("reclaimPolicy", "Delete");
  standard.Set("volumeBindingMode", "WaitForFirstConsumer");
  const Outcome<void> created = Create(objects, classes, std::move(standard));
  BERTH_ASSERT(created.has_value());
}

}  // namespace berth::server
