// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pods/group_protection.h"

#include <algorithm>

#include "server/model/metadata.h"

namespace berth::server {

void GroupProtection::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  const bool is_gone = change.type == Change::Type::kDeleted;
  if (&object.resource() == &groups_) {
    if (!is_gone && object.is_being_deleted()) enqueue(object.key(), {});
  } else if (&object.resource() == &pods_) {
    const PodInfo* const pod = cluster_.pods.Find(object.key());
    if (pod != nullptr && !pod->group.empty() && (is_gone || pod->has_ended())) {
      enqueue(ObjectKey(object.ns(), pod->group), kSettle);
    }
  }
}

std::optional<Duration> GroupProtection::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(groups_);
  const auto found = all.find(key);
  if (found == all.end() || !found->second->is_being_deleted()) return std::nullopt;
  const bool has_pods = std::ranges::any_of(
      cluster_.pods.InGroup(key), [&](const std::string& pod) { return !cluster_.pods.Find(pod)->has_ended(); });
  if (has_pods) return std::nullopt;
  const ObjectPtr group = found->second;
  const auto written =
      cluster_.objects.Update(groups_, group->ns(), group->name(), {}, [](const Json& current) -> Outcome<Json> {
        Json changed = current;
        RemoveFinalizer(changed.Make("metadata"), kGroupProtectionFinalizer);
        return changed;
      });
  return written || written.error().code == 404 ? std::nullopt : std::optional(kRetry);
}

}  // namespace berth::server
