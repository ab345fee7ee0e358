// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_look.h"

#include <algorithm>

#include "server/controllers/job_marks.h"
#include "server/controllers/jobs/job_backoff.h"
#include "server/controllers/jobs/job_status.h"

namespace berth::server {
namespace {

std::set<std::string, std::less<>> UidsOf(const Json& list) {
  std::set<std::string, std::less<>> uids;
  for (const Json& uid : list.items()) uids.insert(uid.text());
  return uids;
}

}  // namespace

JobLook::JobLook(const Cluster& cluster, const ObjectPtr& job)
    : object(job),
      tree(job->Tree()),
      status(tree["status"]),
      is_indexed(IsIndexed(tree)),
      completions(spec()["completions"].IntOr(0)) {
  if (!status.is_map()) status = Json::MakeMap();
  for (const std::string& key : cluster.pods.OfOwner(job->uid())) {
    const PodInfo& pod = *cluster.pods.Find(key);
    if (!pod.has_ended() || pod.is_tracked || pod.is_deleting) pods.push_back(pod);
  }
  // So that indexes are counted in their order.
  if (is_indexed) std::ranges::stable_sort(pods, {}, &PodInfo::job_index);
  const Json& uncounted = status["uncountedTerminatedPods"];
  uncounted_succeeded = UidsOf(uncounted["succeeded"]);
  uncounted_failed = UidsOf(uncounted["failed"]);
  CountPods();
  if (is_indexed) CountIndexes();
}

void JobLook::CountPods() {
  succeeded = status["succeeded"].IntOr(0) + static_cast<int64_t>(uncounted_succeeded.size());
  failed = status["failed"].IntOr(0) + static_cast<int64_t>(uncounted_failed.size());
  for (const PodInfo& pod : pods) {
    if (pod.is_active()) {
      ++active;
      if (pod.is_ready) ++ready;
    }
    if (IsTerminating(pod)) ++terminating;
    if (!pod.is_tracked || !HasValidIndex(pod)) continue;
    if (pod.phase == PodInfo::Phase::kSucceeded && !uncounted_succeeded.contains(pod.object->uid())) {
      ++succeeded;
      now_succeeded.push_back(pod.object);
    }
    if (HasFailed(pod) && !uncounted_failed.contains(pod.object->uid())) {
      if (Judge(pod).counts) ++failed;
      now_failed.push_back(pod.object);
    }
  }
}

void JobLook::CountIndexes() {
  completed_indexes = IndexSet::Parse(status["completedIndexes"].text(), completions);
  if (has_limit_per_index()) failed_indexes = IndexSet::Parse(status["failedIndexes"].text(), completions);
  std::vector<int64_t> completed;
  std::vector<int64_t> lost;
  for (const PodInfo& pod : pods) {
    if (!pod.is_tracked || !HasValidIndex(pod)) continue;
    if (pod.phase == PodInfo::Phase::kSucceeded) completed.push_back(pod.job_index);
    if (failed_indexes && HasIndexFailed(pod)) lost.push_back(pod.job_index);
  }
  completed_indexes.Add(IndexSet(completed));
  succeeded = completed_indexes.size();
  if (!failed_indexes) return;
  failed_indexes->Add(IndexSet(lost));
  FindReplaced();
}

bool JobLook::HasFailed(const PodInfo& pod) const {
  if (pod.phase == PodInfo::Phase::kFailed) return true;
  return !replaces_only_failed() && IsTerminating(pod);
}

bool JobLook::HasValidIndex(const PodInfo& pod) const {
  return !is_indexed || (pod.job_index >= 0 && pod.job_index < completions);
}

FailureVerdict JobLook::Judge(const PodInfo& pod) const {
  const Json* policy = spec().Find("podFailurePolicy");
  return policy == nullptr ? FailureVerdict() : JudgeFailure(*policy, *pod.object->tree());
}

int64_t JobLook::FailuresBefore(const PodInfo& pod, bool with_ignored) const {
  const TreePtr kept = pod.object->tree();
  const Json& annotations = (*kept)["metadata"]["annotations"];
  const int64_t failures = JobMark(annotations, kIndexFailures, 0);
  return with_ignored ? failures + JobMark(annotations, kIndexIgnoredFailures, 0) : failures;
}

bool JobLook::HasIndexFailed(const PodInfo& pod) const {
  if (!HasFailed(pod)) return false;
  const FailureVerdict verdict = Judge(pod);
  if (verdict.fails_index) return true;
  return verdict.counts && FailuresBefore(pod, false) >= spec()["backoffLimitPerIndex"].IntOr(0);
}

void JobLook::FindReplaced() {
  std::set<int64_t> at_work;
  for (const PodInfo& pod : pods) {
    if (pod.is_active()) at_work.insert(pod.job_index);
  }
  for (const PodInfo& pod : pods) {
    const int64_t index = pod.job_index;
    if (!pod.is_tracked || !HasValidIndex(pod) || !HasFailed(pod) || at_work.contains(index)) continue;
    if (completed_indexes.Has(index) || failed_indexes->Has(index)) continue;
    const auto [at, is_new] = replaced.try_emplace(index, pod);
    if (is_new || FailuresBefore(at->second, true) > FailuresBefore(pod, true)) continue;
    if (FinishedAt(*pod.object->tree()) >= FinishedAt(*at->second.object->tree())) at->second = pod;
  }
}

}  // namespace berth::server
