// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/devices/device_claim_release.h"

#include <algorithm>

#include "server/controllers/device_claim_names.h"
#include "server/controllers/owned_pods.h"
#include "server/model/metadata.h"

namespace berth::server {
namespace {

// Holds a claim while it has devices.
constexpr std::string_view kAllocationFinalizer = "resource.kubernetes.io/delete-protection";

// Nothing of the pod runs, and nothing will.
bool IsDone(const PodInfo& pod) { return pod.has_ended() || (pod.is_deleting && pod.node.empty()); }

}  // namespace

void DeviceClaimRelease::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  const bool is_deletion = change.type == Change::Type::kDeleted;
  if (&object.resource() == &claims_) {
    if (!is_deletion) enqueue(object.key(), {});
  } else if (&object.resource() == &pods_) {
    const PodInfo* pod = cluster_.pods.Find(object.key());
    if (pod == nullptr || (!is_deletion && !IsDone(*pod))) return;
    for (const std::string& name : pod->device_claims) enqueue(ObjectKey(object.ns(), name), {});
  } else if (&object.resource() == &groups_ && is_deletion) {
    for (const std::string& name : DeviceClaimNames(object.Tree())) enqueue(ObjectKey(object.ns(), name), {});
  }
}

std::optional<Duration> DeviceClaimRelease::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(claims_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr claim = found->second;
  const Json tree = claim->Tree();
  const Json& consumers = tree["status"]["reservedFor"];
  const auto remaining =
      std::ranges::count_if(consumers.items(), [&](const Json& consumer) { return IsConsumer(claim->ns(), consumer); });
  const bool is_protected = HasFinalizer(tree["metadata"], kAllocationFinalizer);
  bool is_done = true;
  if (static_cast<size_t>(remaining) < consumers.size()) {
    is_done = RemoveConsumers(*claim) && (remaining > 0 || !is_protected || RemoveProtection(*claim));
  } else if (remaining == 0 && is_protected && claim->is_being_deleted()) {
    is_done = RemoveAllocation(*claim) && RemoveProtection(*claim);
  }
  if (is_done && remaining == 0 && IsLeftOver(*claim, tree)) {
    const auto deleted = cluster_.objects.Delete(claims_, claim->ns(), claim->name(), {.uid = claim->uid()});
    is_done = Succeeded(*this, deleted);
  }
  return is_done ? std::nullopt : std::optional(kRetry);
}

bool DeviceClaimRelease::IsConsumer(std::string_view ns, const Json& consumer) const {
  if (IsGroup(consumer)) {
    const ObjectPtr group = cluster_.store().Find(groups_, ns, consumer["name"].text());
    return group != nullptr && group->uid() == consumer["uid"].text();
  }
  // Of others nobody knows here when they end.
  if (!consumer["apiGroup"].text().empty() || consumer["resource"].text() != "pods") return true;
  const PodInfo* pod = cluster_.pods.Find(ObjectKey(ns, consumer["name"].text()));
  return pod != nullptr && pod->object->uid() == consumer["uid"].text() && !IsDone(*pod);
}

bool DeviceClaimRelease::RemoveConsumers(const StoredObject& claim) {
  const bool is_protected = HasFinalizer((*claim.tree())["metadata"], kAllocationFinalizer);
  return WriteStatus(cluster_, claim, [&](Json& status) {
    Json* consumers = status.Find("reservedFor");
    if (consumers == nullptr || !consumers->is_list()) return;
    std::erase_if(consumers->mutable_items(), [&](const Json& consumer) { return !IsConsumer(claim.ns(), consumer); });
    if (!consumers->empty()) return;
    status.Erase("reservedFor");
    if (is_protected) status.Erase("allocation");
  });
}

bool DeviceClaimRelease::RemoveAllocation(const StoredObject& claim) {
  return WriteStatus(cluster_, claim, [](Json& status) { status.Erase("allocation"); });
}

bool DeviceClaimRelease::RemoveProtection(const StoredObject& claim) {
  const auto written =
      cluster_.objects.Update(claims_, claim.ns(), claim.name(), {}, [](const Json& current) -> Outcome<Json> {
        Json changed = current;
        RemoveFinalizer(changed.Make("metadata"), kAllocationFinalizer);
        return changed;
      });
  return Succeeded(*this, written);
}

bool DeviceClaimRelease::IsLeftOver(const StoredObject& claim, const Json& tree) const {
  const Json& owner = ControllerOf(tree);
  if (owner["kind"].text() != "Pod" || owner["apiVersion"].text() != "v1") return false;
  // If the pod is gone, the claim goes as everything does that it owns.
  const PodInfo* pod = cluster_.pods.Find(ObjectKey(claim.ns(), owner["name"].text()));
  return pod != nullptr && (pod->object->uid() != owner["uid"].text() || IsDone(*pod));
}

}  // namespace berth::server
