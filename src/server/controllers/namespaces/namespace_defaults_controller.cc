// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/namespaces/namespace_defaults_controller.h"

#include <utility>

#include "server/objects/namespace_defaults.h"

namespace berth::server {

NamespaceDefaultsController::NamespaceDefaultsController(const Cluster& cluster, std::string root_ca, bool is_whole)
    : cluster_(cluster),
      namespaces_(cluster.Get("", "namespaces")),
      accounts_(cluster.Get("", "serviceaccounts")),
      configs_(cluster.Get("", "configmaps")),
      root_ca_(std::move(root_ca)) {
  // Where every namespace has an account, pods have one.
  cluster.objects.admission().SetExtent(is_whole ? Extent::kWhole : Extent::kPart);
}

void NamespaceDefaultsController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  const bool is_deletion = change.type == Change::Type::kDeleted;
  const Resource* resource = &object.resource();
  if (resource == &namespaces_ && !is_deletion) {
    enqueue(object.key(), Duration{});
  } else if ((resource == &accounts_ && is_deletion && object.name() == kDefaultAccount) ||
             (resource == &configs_ && object.name() == kRootCaConfig)) {
    enqueue(std::string(object.ns()), Duration{});
  }
}

std::optional<Duration> NamespaceDefaultsController::Sync(const std::string& key) {
  const Outcome<void> added = AddNamespaceDefaults(cluster_.objects, key, root_ca_);
  return Succeeded(*this, added) ? std::nullopt : std::optional(kRetry);
}

}  // namespace berth::server
