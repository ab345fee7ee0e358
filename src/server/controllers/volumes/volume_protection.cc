// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/volumes/volume_protection.h"

#include <algorithm>

#include "server/model/metadata.h"

namespace berth::server {

void VolumeProtection::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  const Resource* resource = &object.resource();
  if (resource == &claims_ || resource == &volumes_) {
    const bool is_marked = change.type != Change::Type::kDeleted && object.is_being_deleted();
    if (is_marked) enqueue(object.key(), Duration{});
    if (resource == &volumes_) return;
    if (is_marked) {
      marked_claims_.insert(object.key());
    } else {
      marked_claims_.erase(object.key());
    }
  }
  if (resource != &pods_) return;
  // A pod that is gone may have been the last user of a claim in its namespace.
  const std::string prefix = std::string(object.ns()) + "/";
  for (auto at = marked_claims_.lower_bound(prefix); at != marked_claims_.end() && at->starts_with(prefix); ++at) {
    enqueue(*at, kSettle);
  }
}

// Pods that have no node yet do not count: they will not be started with a claim that goes.
bool VolumeProtection::IsUsed(const StoredObject& claim) const {
  return std::ranges::any_of(cluster_.pods.UsingClaim(claim.key()),
                             [&](const std::string& pod) { return !cluster_.pods.Find(pod)->node.empty(); });
}

std::optional<Duration> VolumeProtection::Sync(const std::string& key) {
  const bool is_claim = key.contains('/');
  const Resource& resource = is_claim ? claims_ : volumes_;
  const Store::Objects& all = cluster_.store().All(resource);
  const auto found = all.find(key);
  if (found == all.end() || !found->second->is_being_deleted()) return std::nullopt;
  const ObjectPtr object = found->second;
  const bool is_used = is_claim ? IsUsed(*object) : object->Tree()["status"]["phase"].text() == "Bound";
  if (is_used) return std::nullopt;
  const std::string_view finalizer = is_claim ? "kubernetes.io/pvc-protection" : "kubernetes.io/pv-protection";
  const auto written =
      cluster_.objects.Update(resource, object->ns(), object->name(), {}, [&](const Json& current) -> Outcome<Json> {
        Json changed = current;
        RemoveFinalizer(changed.Make("metadata"), finalizer);
        return changed;
      });
  return written || written.error().code == 404 ? std::nullopt : std::optional(kRetry);
}

}  // namespace berth::server
