// SPDX-License-Identifier: Apache-2.0
#include "api/parts/quantity.h"
#include "server/admission/rules.h"
#include "server/model/metadata.h"
#include "server/store/storage_class.h"

namespace berth::server {
namespace {

const Resource& StorageClasses(const ClusterView& cluster) {
  return cluster.catalog.Get("storage.k8s.io", "storageclasses");
}

api::Quantity Requested(const Json& claim) {
  return api::Quantity::Parse(claim["spec"]["resources"]["requests"]["storage"].text()).value_or(api::Quantity());
}

}  // namespace

Outcome<void> ProtectStorage(const AdmissionRequest& request, const ClusterView& /*cluster*/) {
  if (request.verb != Verb::kCreate) return {};
  std::string_view finalizer;
  if (request.resource.plural == "persistentvolumes") finalizer = "kubernetes.io/pv-protection";
  if (request.resource.plural == "persistentvolumeclaims") finalizer = "kubernetes.io/pvc-protection";
  if (!finalizer.empty()) AddFinalizer(request.object->Make("metadata"), finalizer);
  return {};
}

Outcome<void> SetStorageClass(const AdmissionRequest& request, const ClusterView& cluster) {
  if (request.verb != Verb::kCreate || request.resource.plural != "persistentvolumeclaims") return {};
  Json& claim = *request.object;
  if (NamesClass(claim)) return {};
  const std::string name = DefaultStorageClass(cluster.store, cluster.catalog);
  if (!name.empty()) claim.Make("spec").Set("storageClassName", name);
  return {};
}

Outcome<void> CheckExpansion(const AdmissionRequest& request, const ClusterView& cluster) {
  if (request.verb != Verb::kUpdate || request.resource.plural != "persistentvolumeclaims" ||
      !request.subresource.empty() || Requested(*request.object).Cmp(Requested(*request.old)) <= 0) {
    return {};
  }
  if ((*request.old)["status"]["phase"].text() != "Bound") {
    return Forbidden(request.resource, request.name, "Only bound persistent volume claims can be expanded");
  }
  const ObjectPtr found =
      cluster.store.Find(StorageClasses(cluster), "", (*request.object)["spec"]["storageClassName"].text());
  if (found != nullptr && found->Tree()["allowVolumeExpansion"].AsBool()) return {};
  return Forbidden(request.resource, request.name,
                   "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must "
                   "support resize");
}

}  // namespace berth::server
