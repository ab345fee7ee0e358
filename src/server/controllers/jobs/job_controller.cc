// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_controller.h"

#include <algorithm>
#include <span>
#include <utility>

#include "server/controllers/job_marks.h"
#include "server/controllers/jobs/job_pods.h"
#include "server/controllers/jobs/job_tracking.h"
#include "server/controllers/owned_pods.h"

namespace berth::server {
namespace {

constexpr std::string_view kJobReporter = "job-controller";
constexpr Duration kRetryMax = Minutes(1);
// Replacements that had to wait come some pods at a time.
constexpr Duration kStaggered = Seconds(1);

JobBackoff NewBackoff(const JobBackoff& before, const JobLook& look) {
  if (look.now_failed.empty()) return look.now_succeeded.empty() ? before : JobBackoff();
  const auto trees = [](const std::vector<ObjectPtr>& pods) {
    std::vector<Json> made;
    for (const ObjectPtr& pod : pods) made.push_back(pod->Tree());
    return made;
  };
  return BackoffAfter(before, trees(look.now_succeeded), trees(look.now_failed));
}

// How long the index still waits for its next pod.
Duration IndexBackoff(const JobLook& look, int64_t index, Time now) {
  const auto failed = look.replaced.find(index);
  if (failed == look.replaced.end()) return {};
  return RemainingBackoff(
      {.failures = look.FailuresBefore(failed->second, true) + 1, .last = FinishedAt(*failed->second.object->tree())},
      now);
}

void SetCounter(Json& status, std::string_view name, int64_t count) {
  status.Set(name, Json::Int(count));
  if (count == 0) status.Erase(name);
}

std::optional<Duration> Earlier(std::optional<Duration> left, std::optional<Duration> right) {
  if (!left || !right) return left ? left : right;
  return std::min(*left, *right);
}

}  // namespace

void JobController::OnChange(const Change& change, const Enqueue& enqueue) {
  const bool is_job = &change.object->resource() == &jobs_;
  if (is_job && change.type == Change::Type::kDeleted) memories_.erase(change.object->uid());
  // A Job changes as often as its pods, which it counts.
  const Duration settle = is_job && change.before != nullptr ? kSettle : Duration{};
  affected_.OnChange(change, kSettle,
                     [&](std::string key, Duration delay) { enqueue(std::move(key), std::max(delay, settle)); });
}

std::optional<Duration> JobController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(jobs_);
  const auto found = all.find(key);
  const api::Selector* selector = affected_.SelectorOf(key);
  if (found == all.end() || selector == nullptr) return std::nullopt;
  const ObjectPtr job = found->second;
  const TreePtr tree = job->tree();
  if (IsManagedElsewhere(*tree)) return std::nullopt;
  if (HasEnded(*tree)) {
    memories_.erase(job->uid());
    return std::nullopt;
  }
  Memory memory = memories_[job->uid()];
  Progress progress{.is_done = Claim(*job, *selector)};
  if (progress.is_done) {
    JobLook look(cluster_, job);
    progress = Work(look, memory.backoff);
  }
  const Duration retry = memory.retry;
  memory.retry = progress.is_done ? kRetry : std::min(retry * 2, kRetryMax);
  memories_[job->uid()] = memory;
  return progress.is_done ? progress.again : std::optional(retry);
}

bool JobController::Claim(const StoredObject& job, const api::Selector& selector) const {
  if (job.is_being_deleted()) return true;
  return ClaimPods(*this, cluster_, job,
                   {.selector = selector,
                    .can_use = [](const PodInfo& /*pod*/) { return true; },
                    .counts_ended = true,
                    .finalizer = kJobTrackingFinalizer});
}

JobController::Progress JobController::Work(JobLook& look, JobBackoff& backoff) {
  const Time now = cluster_.objects.now();
  if (!look.is_suspended()) look.status.SetDefault("startTime", Json::String(FormatTime(now)));
  backoff = NewBackoff(backoff, look);
  std::optional<JobEnd> end = EndOf(look, now);
  Progress progress;
  if (end) {
    progress = Stop(look, SurplusOf(look, look.active), true);
    // It is not over while there may be more to count.
    if (!progress.is_done || progress.again) end.reset();
  } else {
    if (!look.is_being_deleted()) progress = Manage(look, backoff);
    end = CompletionOf(look);
    if (!end && !look.is_being_deleted()) SetSuspended(look);
  }
  SetCounter(look.status, "active", look.active);
  look.status.Set("ready", Json::Int(look.ready));
  look.status.Set("terminating", Json::Int(look.terminating));
  progress.is_done = Track(look, end) && progress.is_done;
  const std::optional<Time> deadline = end ? std::nullopt : DeadlineOf(look);
  if (deadline) progress.again = Earlier(progress.again, std::max(*deadline - now, Duration{1}));
  return progress;
}

JobController::Progress JobController::Manage(JobLook& look, const JobBackoff& backoff) {
  if (look.is_suspended()) return Stop(look, SurplusOf(look, look.active), false);
  const int64_t wanted = WantedActive(look);
  const std::vector<PodInfo> surplus = SurplusOf(look, look.active - wanted);
  if (!surplus.empty()) return Stop(look, surplus, false);
  const int64_t going = look.replaces_only_failed() ? look.terminating : 0;
  const int64_t missing = wanted - look.active - going;
  return missing > 0 ? Start(look, missing, backoff) : Progress();
}

JobController::Progress JobController::Stop(JobLook& look, const std::vector<PodInfo>& pods, bool is_counted) {
  const size_t count = std::min(pods.size(), kBatch);
  for (const PodInfo& pod : std::span(pods).first(count)) {
    if (!is_counted && pod.is_tracked && !StopTracking(*this, cluster_, *pod.object)) return {.is_done = false};
    if (!Control(look).Delete(pod)) return {.is_done = false};
    --look.active;
    ++look.terminating;
    if (pod.is_ready) --look.ready;
  }
  return count < pods.size() ? Progress{.again = Duration{}} : Progress();
}

JobController::Progress JobController::Start(JobLook& look, int64_t count, const JobBackoff& backoff) {
  const Time now = cluster_.objects.now();
  if (const Duration wait = RemainingBackoff(backoff, now); wait > Duration{} && !look.has_limit_per_index()) {
    return {.again = std::max(wait, kStaggered)};
  }
  const size_t batch = std::min(static_cast<size_t>(count), kBatch);
  Progress progress;
  if (batch < static_cast<size_t>(count)) progress.again = Duration{};
  if (!look.is_indexed) {
    for (size_t i = 0; i < batch && progress.is_done; ++i) progress.is_done = StartPod(look, std::nullopt);
    return progress;
  }
  std::optional<Duration> wait;
  bool has_started = false;
  for (const int64_t index : PendingIndexes(look, batch)) {
    if (const Duration left = IndexBackoff(look, index, now); left > Duration{}) {
      wait = Earlier(wait, std::max(left, kStaggered));
      continue;
    }
    has_started = true;
    progress.is_done = StartPod(look, index);
    if (!progress.is_done) break;
  }
  if (wait) progress.again = has_started ? Earlier(progress.again, wait) : wait;
  return progress;
}

bool JobController::StartPod(JobLook& look, std::optional<int64_t> index) {
  const Outcome<ObjectPtr> created = Control(look).Create(PodOfJob(look, index));
  if (created && *created != nullptr) ++look.active;
  return created.has_value();
}

void JobController::SetSuspended(JobLook& look) {
  const Time now = cluster_.objects.now();
  if (look.is_suspended()) {
    const JobCondition condition{.type = "Suspended", .reason = "JobSuspended", .message = "Job suspended"};
    if (!SetJobCondition(look.status, condition, now)) return;
    look.status.Erase("startTime");
    return Control(look).Report("Normal", "Suspended", condition.message);
  }
  const JobCondition condition{.type = "Suspended", .is_true = false, .reason = "JobResumed", .message = "Job resumed"};
  if (!SetJobCondition(look.status, condition, now)) return;
  // Its deadline counts from now.
  look.status.Set("startTime", FormatTime(now));
  Control(look).Report("Normal", "Resumed", condition.message);
}

bool JobController::Track(JobLook& look, const std::optional<JobEnd>& end) {
  JobTracking tracking(look);
  tracking.Name(end);
  if (end && end->is_new) AppendJobCondition(look.status, end->condition, cluster_.objects.now());
  if (!Flush(look)) return false;
  const bool is_released = tracking.Release(*this, cluster_);
  const bool is_over = end && is_released && tracking.has_all() && !tracking.has_uncounted() && look.terminating == 0;
  if (is_over) Finish(look, *end);
  if (!Flush(look)) return false;
  if (is_over) ReportFinish(look, *end);
  return is_released;
}

void JobController::Finish(JobLook& look, const JobEnd& end) {
  const Time now = cluster_.objects.now();
  JobCondition condition = end.condition;
  condition.type = end.is_success() ? "Complete" : "Failed";
  SetJobCondition(look.status, condition, now);
  if (end.is_success()) look.status.Set("completionTime", FormatTime(now));
}

bool JobController::Flush(JobLook& look) {
  if (look.status == look.tree["status"]) return true;
  if (!WriteStatus(cluster_, *look.object, [&](Json& status) { status = look.status; })) return false;
  look.tree.Set("status", look.status);
  return true;
}

void JobController::ReportFinish(const JobLook& look, const JobEnd& end) {
  if (!end.is_success()) return Control(look).Report("Warning", end.condition.reason, end.condition.message);
  const std::optional<int64_t> wanted = look.spec()["completions"].AsInt();
  if (wanted && look.status["succeeded"].IntOr(0) > *wanted) {
    Control(look).Report("Warning", "TooManySucceededPods",
                         "Too many succeeded pods running after completion count reached");
  }
  Control(look).Report("Normal", "Completed", "Job completed");
}

PodControl JobController::Control(const JobLook& look) const {
  return PodControl(*this, cluster_, *look.object, kJobReporter);
}

}  // namespace berth::server
