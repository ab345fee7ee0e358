// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/cron_job_controller.h"

#include <algorithm>

#include "server/controllers/job_status.h"
#include "server/controllers/owned_pods.h"
#include "server/kinds/workloads/cron_schedule.h"
#include "server/model/find_condition.h"

namespace berth::server {
namespace {

constexpr std::string_view kScheduled = "batch.kubernetes.io/cronjob-scheduled-timestamp";
constexpr int64_t kMinute = 60'000'000'000;

Json JobReference(const StoredObject& job) {
  return Json{
      {"apiVersion", Json::String("batch/v1")}, {"kind", Json::String("Job")},
      {"name", Json::String(job.name())},       {"namespace", Json::String(job.ns())},
      {"uid", Json::String(job.uid())},         {"resourceVersion", Json::String(std::to_string(job.revision()))}};
}

// The last time up to now at which a job should have been made and was not. Nothing: there is none.
std::optional<Time> LastDue(const CronSchedule& schedule, const Json& cron_job, Time now) {
  const Json& last = cron_job["status"]["lastScheduleTime"];
  const Json& since = last.is_null() ? cron_job["metadata"]["creationTimestamp"] : last;
  Time after = ParseTime(since.text()).value_or(now);
  if (const std::optional<int64_t> deadline = cron_job["spec"]["startingDeadlineSeconds"].AsInt()) {
    after = std::max(after, now - Seconds(*deadline));
  }
  std::optional<Time> due;
  for (std::optional<Time> next = schedule.Next(after); next && *next <= now; next = schedule.Next(*next)) due = next;
  return due;
}

}  // namespace

void CronJobController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &cron_jobs_ && change.type != Change::Type::kDeleted) enqueue(object.key(), Duration{});
  if (&object.resource() != &jobs_) return;
  const Json tree = object.Tree();
  const Json& owner = ControllerOf(tree);
  if (owner["kind"].text() == "CronJob") enqueue(ObjectKey(object.ns(), owner["name"].text()), kSettle);
}

std::vector<CronJobController::Job> CronJobController::JobsOf(const StoredObject& cron_job) const {
  std::vector<Job> jobs;
  const std::string prefix = std::string(cron_job.ns()) + "/";
  const Store::Objects& all = cluster_.store().All(jobs_);
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    Job job{.object = at->second, .tree = at->second->Tree()};
    if (ControllerOf(job.tree)["uid"].text() == cron_job.uid()) jobs.push_back(std::move(job));
  }
  std::ranges::stable_sort(jobs, {}, [](const Job& job) { return job.tree["metadata"]["creationTimestamp"].text(); });
  return jobs;
}

std::optional<Duration> CronJobController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(cron_jobs_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr cron_job = found->second;
  const Json tree = cron_job->Tree();
  if (tree["metadata"].Has("deletionTimestamp")) return std::nullopt;
  const Json& spec = tree["spec"];
  const std::vector<Job> jobs = JobsOf(*cron_job);
  bool is_done = Prune(jobs, "Complete", spec["successfulJobsHistoryLimit"].IntOr(3)) &&
                 Prune(jobs, "Failed", spec["failedJobsHistoryLimit"].IntOr(1));
  const Result<CronSchedule> schedule = CronSchedule::Parse(spec["schedule"].text());
  const Time now = cluster_.objects.now();
  const bool runs = schedule && !spec["suspend"].AsBool();
  if (const std::optional<Time> due = runs ? LastDue(*schedule, tree, now) : std::nullopt) {
    std::vector<Job> active = jobs;
    std::erase_if(active, [](const Job& job) { return HasEnded(job.tree); });
    is_done = Run(*cron_job, tree, active, *due) && is_done;
  }
  is_done = Report(*cron_job, JobsOf(*cron_job)) && is_done;
  if (!is_done) return kRetry;
  const std::optional<Time> next = runs ? schedule->Next(now) : std::nullopt;
  return next ? std::optional(*next - now) : std::nullopt;
}

// Of the jobs that ended this way only the last ones stay.
bool CronJobController::Prune(const std::vector<Job>& jobs, std::string_view end, int64_t limit) {
  const auto is_such = [&](const Job& job) { return IsTrue(job.tree["status"]["conditions"], end); };
  auto count = std::ranges::count_if(jobs, is_such);
  for (const Job& job : jobs) {
    if (count <= limit) return true;
    if (!is_such(job)) continue;
    const auto deleted =
        cluster_.objects.Delete(jobs_, job.object->ns(), job.object->name(), {.uid = job.object->uid()});
    if (!Succeeded(*this, deleted)) return false;
    --count;
  }
  return true;
}

bool CronJobController::Run(const StoredObject& cron_job, const Json& tree, const std::vector<Job>& active, Time due) {
  const std::string& policy = tree["spec"]["concurrencyPolicy"].text();
  // The end of the active one asks for another look.
  if (policy == "Forbid" && !active.empty()) return true;
  if (policy == "Replace") {
    for (const Job& job : active) {
      const auto deleted = cluster_.objects.Delete(jobs_, job.object->ns(), job.object->name(),
                                                   {.propagation = DeleteOptions::Propagation::kBackground});
      if (!Succeeded(*this, deleted)) return false;
    }
  }
  if (!Create(cron_job, tree, due)) return false;
  return WriteStatus(cluster_, cron_job, [&](Json& status) { status.Set("lastScheduleTime", FormatTime(due)); });
}

bool CronJobController::Create(const StoredObject& cron_job, const Json& tree, Time due) {
  const Json& wanted = tree["spec"]["jobTemplate"];
  Json job{{"apiVersion", Json::String("batch/v1")}, {"kind", Json::String("Job")}, {"spec", wanted["spec"]}};
  Json& metadata = job.Make("metadata");
  for (const std::string_view part : {"labels", "annotations"}) {
    if (wanted["metadata"].Has(part)) metadata.Set(part, wanted["metadata"][part]);
  }
  // Named by the minute, so that no time is run twice.
  metadata.Set("name", std::string(cron_job.name()) + "-" + std::to_string(due.nanos / kMinute));
  metadata.Set("namespace", cron_job.ns());
  metadata.Make("annotations").Set(kScheduled, FormatTime(due));
  metadata.Set("ownerReferences", Json::MakeList({ControllerReference(cron_job)}));
  const auto created =
      cluster_.objects.Create(jobs_, cron_job.ns(), std::move(job), {.manager = std::string(kControllerManager)});
  return (!created && created.error().reason == "AlreadyExists") || Succeeded(*this, created);
}

bool CronJobController::Report(const StoredObject& cron_job, const std::vector<Job>& jobs) {
  Json active = Json::MakeList();
  std::string succeeded;
  for (const Job& job : jobs) {
    if (!HasEnded(job.tree)) active.Append(JobReference(*job.object));
    succeeded = std::max(succeeded, job.tree["status"]["completionTime"].text());
  }
  return WriteStatus(cluster_, cron_job, [&](Json& status) {
    status.Set("active", active);
    if (active.empty()) status.Erase("active");
    if (succeeded > status["lastSuccessfulTime"].text()) status.Set("lastSuccessfulTime", succeeded);
  });
}

}  // namespace berth::server
