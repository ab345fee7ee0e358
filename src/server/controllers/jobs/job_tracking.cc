// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_tracking.h"

#include "server/controllers/jobs/job_pods.h"

namespace berth::server {
namespace {

// As many as keep the status small.
constexpr size_t kNamedMax = 500;
constexpr std::string_view kUncounted = "uncountedTerminatedPods";

}  // namespace

JobTracking::JobTracking(JobLook& look)
    : look_(look), indexes_before_(IndexSet::Parse(look.status["completedIndexes"].text(), look.completions)) {
  if (!look.status[kUncounted].is_map()) look.status.Set(kUncounted, Json::MakeMap());
  for (const PodInfo& pod : look.pods) {
    if (pod.is_tracked) held_.insert(pod.object->uid());
  }
  Count();
}

void JobTracking::Name(const std::optional<JobEnd>& end) {
  size_t named = look_.uncounted_succeeded.size() + look_.uncounted_failed.size();
  for (const PodInfo& pod : look_.pods) {
    if (!pod.is_tracked || !MayBeReleased(pod, end)) continue;
    released_.push_back(pod.object);
    const bool has_succeeded =
        pod.phase == PodInfo::Phase::kSucceeded && !look_.uncounted_failed.contains(pod.object->uid());
    if (has_succeeded) {
      named += NameSucceeded(pod) ? 1 : 0;
    } else if (look_.HasFailed(pod) || (end && !end->is_success())) {
      named += NameFailed(pod) ? 1 : 0;
    }
    if (named < kNamedMax) continue;
    has_all_ = false;
    break;
  }
  if (look_.is_indexed) NameIndexes();
}

bool JobTracking::MayBeReleased(const PodInfo& pod, const std::optional<JobEnd>& end) const {
  if (look_.is_being_deleted() || end || pod.phase == PodInfo::Phase::kSucceeded) return true;
  if (!look_.HasFailed(pod)) return false;
  // The pod that replaces it takes over how often the index has failed.
  const auto replaced = look_.replaced.find(pod.job_index);
  return replaced == look_.replaced.end() || replaced->second.object->uid() != pod.object->uid();
}

bool JobTracking::NameSucceeded(const PodInfo& pod) {
  if (look_.is_indexed) return look_.HasValidIndex(pod) && !indexes_before_.Has(pod.job_index);
  if (look_.uncounted_succeeded.contains(pod.object->uid())) return false;
  look_.status.Make({kUncounted, "succeeded"}).Append(Json::String(pod.object->uid()));
  return true;
}

bool JobTracking::NameFailed(const PodInfo& pod) {
  if (look_.uncounted_failed.contains(pod.object->uid()) || !look_.HasValidIndex(pod)) return false;
  if (!look_.Judge(pod).counts) return false;
  look_.status.Make({kUncounted, "failed"}).Append(Json::String(pod.object->uid()));
  return true;
}

void JobTracking::NameIndexes() {
  Json& status = look_.status;
  status.Set("succeeded", Json::Int(look_.completed_indexes.size()));
  status.Set("completedIndexes", look_.completed_indexes.ToText());
  if (look_.completed_indexes.empty()) {
    status.Erase("succeeded");
    status.Erase("completedIndexes");
  }
  if (look_.failed_indexes) status.Set("failedIndexes", look_.failed_indexes->ToText());
}

bool JobTracking::Release(const Controller& controller, const Cluster& cluster) {
  bool is_done = true;
  for (const ObjectPtr& pod : released_) {
    if (StopTracking(controller, cluster, *pod)) {
      held_.erase(pod->uid());
    } else {
      is_done = false;
    }
  }
  Count();
  return is_done;
}

bool JobTracking::has_uncounted() const {
  const Json& uncounted = look_.status[kUncounted];
  return !uncounted["succeeded"].empty() || !uncounted["failed"].empty();
}

void JobTracking::Count() {
  CountNamed("succeeded");
  CountNamed("failed");
}

void JobTracking::CountNamed(std::string_view list) {
  Json::List left = look_.status[kUncounted][list].items();
  const size_t named = left.size();
  std::erase_if(left, [&](const Json& uid) { return !held_.contains(uid.text()); });
  if (left.size() == named) return;
  look_.status.Set(list, Json::Int(look_.status[list].IntOr(0) + static_cast<int64_t>(named - left.size())));
  if (left.empty()) {
    look_.status.Make(kUncounted).Erase(list);
  } else {
    look_.status.Make(kUncounted).Set(list, Json::MakeList(std::move(left)));
  }
}

}  // namespace berth::server
