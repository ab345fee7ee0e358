// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_expiry.h"

#include "server/controllers/jobs/job_status.h"

namespace berth::server {

void JobExpiry::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &jobs_ && change.type != Change::Type::kDeleted) enqueue(object.key(), kSettle);
}

std::optional<Duration> JobExpiry::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(jobs_);
  const auto found = all.find(key);
  if (found == all.end() || found->second->is_being_deleted()) return std::nullopt;
  const ObjectPtr job = found->second;
  const TreePtr tree = job->tree();
  const std::optional<int64_t> life = (*tree)["spec"]["ttlSecondsAfterFinished"].AsInt();
  const Json& end = EndingOf(*tree);
  if (!life || end.is_null()) return std::nullopt;
  const Time now = cluster_.objects.now();
  const Time ended = ParseTime(end["lastTransitionTime"].text()).value_or(now);
  if (const Time due = ended + Seconds(*life); due > now) return due - now;
  const auto deleted = cluster_.objects.Delete(
      jobs_, job->ns(), job->name(), {.uid = job->uid(), .propagation = DeleteOptions::Propagation::kForeground});
  return Succeeded(*this, deleted) ? std::nullopt : std::optional(kRetry);
}

}  // namespace berth::server
