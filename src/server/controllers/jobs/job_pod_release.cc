// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_pod_release.h"

#include "server/controllers/jobs/job_pods.h"
#include "server/controllers/jobs/job_status.h"

namespace berth::server {

void JobPodRelease::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  const bool is_deletion = change.type == Change::Type::kDeleted;
  if (&object.resource() == &jobs_ && is_deletion) {
    for (const std::string& key : cluster_.pods.OfOwner(object.uid())) enqueue(key, Duration{});
  }
  if (&object.resource() != &pods_ || is_deletion) return;
  const PodInfo& pod = *cluster_.pods.Find(object.key());
  // A pod that goes on may still be counted: its Job is asked for no more than that.
  if (pod.is_tracked && (pod.owner_uid.empty() || pod.is_deleting)) enqueue(object.key(), Duration{});
}

std::optional<Duration> JobPodRelease::Sync(const std::string& key) {
  const PodInfo* pod = cluster_.pods.Find(key);
  if (pod == nullptr || !pod->is_tracked) return std::nullopt;
  if (!pod->owner_uid.empty()) {
    if (pod->owner_kind != jobs_.kind) return std::nullopt;
    const ObjectPtr job = cluster_.store().Find(jobs_, pod->object->ns(), pod->owner_name);
    if (job != nullptr && job->uid() == pod->owner_uid) {
      const TreePtr tree = job->tree();
      if (IsManagedElsewhere(*tree) || !HasEnded(*tree)) return std::nullopt;
    }
  }
  const ObjectPtr object = pod->object;
  return StopTracking(*this, cluster_, *object) ? std::nullopt : std::optional(kRetry);
}

}  // namespace berth::server
