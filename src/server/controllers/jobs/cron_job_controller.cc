// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/cron_job_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <tuple>
#include <utility>

#include "api/document/field_error.h"
#include "cel/time_zones.h"
#include "server/controllers/event_report.h"
#include "server/controllers/jobs/job_status.h"
#include "server/controllers/owned_pods.h"

namespace berth::server {
namespace {

constexpr std::string_view kCronReporter = "cronjob-controller";
constexpr std::string_view kScheduled = "batch.kubernetes.io/cronjob-scheduled-timestamp";
constexpr int64_t kMinuteNanos = 60'000'000'000;

Json JobReference(const StoredObject& job) {
  return Json{
      {"apiVersion", Json::String("batch/v1")}, {"kind", Json::String("Job")},
      {"name", Json::String(job.name())},       {"namespace", Json::String(job.ns())},
      {"uid", Json::String(job.uid())},         {"resourceVersion", Json::String(std::to_string(job.revision()))}};
}

bool IsActive(const Json& status, std::string_view uid) {
  return std::ranges::any_of(status["active"].items(), [&](const Json& job) { return job["uid"].text() == uid; });
}

void StrikeActive(Json& status, std::string_view uid) {
  Json::List left = status["active"].items();
  std::erase_if(left, [&](const Json& job) { return job["uid"].text() == uid; });
  status.Set("active", Json::MakeList(left));
  if (left.empty()) status.Erase("active");
}

// As 2026-01-01T09:00:00+09:00.
std::string LocalTime(Time time, std::string_view zone) {
  const Duration ahead = ClocksAhead(zone, time);
  std::string text = FormatTime(time + ahead);
  if (ahead == Duration{}) return text;
  text.pop_back();
  const int64_t minutes = std::abs(ahead.nanos) / kMinuteNanos;
  return fmt::format("{}{}{:02}:{:02}", text, ahead < Duration{} ? '-' : '+', minutes / 60, minutes % 60);
}

// As Thu, 01 Jan 2026 00:05:00 +0000.
std::string MailTime(Time time) {
  constexpr std::string_view kWeekdays = "SunMonTueWedThuFriSat";
  constexpr std::string_view kMonthNames = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::string text = FormatTime(time);  // 2026-01-01T00:05:00Z
  const auto day = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(time.nanos)));
  const size_t month = static_cast<unsigned>(std::chrono::year_month_day(day).month()) - 1;
  return fmt::format("{}, {} {} {} {} +0000", kWeekdays.substr(std::chrono::weekday(day).c_encoding() * 3U, 3),
                     text.substr(8, 2), kMonthNames.substr(month * 3, 3), text.substr(0, 4), text.substr(11, 8));
}

Json JobFromTemplate(const StoredObject& cron_job, const Json& wanted, const std::string& name,
                     const std::string& scheduled) {
  Json job{{"apiVersion", Json::String("batch/v1")}, {"kind", Json::String("Job")}, {"spec", wanted["spec"]}};
  Json& metadata = job.Make("metadata");
  for (const std::string_view part : {"labels", "annotations"}) {
    if (wanted["metadata"].Has(part)) metadata.Set(part, wanted["metadata"][part]);
  }
  metadata.Set("name", name);
  metadata.Set("namespace", cron_job.ns());
  metadata.Make("annotations").Set(kScheduled, scheduled);
  metadata.Set("ownerReferences", Json::MakeList({ControllerReference(cron_job)}));
  return job;
}

}  // namespace

void CronJobController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &cron_jobs_ && change.type != Change::Type::kDeleted) OnCronJob(change, enqueue);
  if (&object.resource() != &jobs_) return;
  for (const Json& owner : object.owners().items()) {
    if (owner["controller"].AsBool() && owner["kind"].text() == cron_jobs_.kind) {
      enqueue(ObjectKey(object.ns(), owner["name"].text()), kSettle);
    }
  }
}

void CronJobController::OnCronJob(const Change& change, const Enqueue& enqueue) const {
  const StoredObject& cron_job = *change.object;
  if (change.before != nullptr) {
    // A new schedule does not make up for what the old one did not do.
    const TreePtr now = cron_job.tree();
    const TreePtr before = change.before->tree();
    const auto is_same = [&](std::string_view field) { return (*now)["spec"][field] == (*before)["spec"][field]; };
    if (!is_same("schedule") || !is_same("timeZone")) {
      const Result<CronTimes> times = CronTimes::Of(*now);
      const std::optional<Duration> next = times ? times->UntilNext(cluster_.objects.now()) : std::nullopt;
      return enqueue(cron_job.key(), next.value_or(Duration{}));
    }
  }
  enqueue(cron_job.key(), Duration{});
}

std::vector<CronJobController::Job> CronJobController::JobsOf(const StoredObject& cron_job) const {
  std::vector<Job> jobs;
  const std::string prefix = ObjectKey(cron_job.ns(), "");
  const Store::Objects& all = cluster_.store().All(jobs_);
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    const bool is_own = std::ranges::any_of(at->second->owners().items(), [&](const Json& owner) {
      return owner["controller"].AsBool() && owner["uid"].text() == cron_job.uid();
    });
    if (is_own) jobs.push_back({.object = at->second, .tree = at->second->tree()});
  }
  return jobs;
}

std::optional<Duration> CronJobController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(cron_jobs_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr object = found->second;
  Look look{.object = object, .tree = object->Tree(), .status = {}, .jobs = JobsOf(*object)};
  look.status = look.tree["status"];
  const Json& spec = look.tree["spec"];
  Prune(look, "Complete", spec["successfulJobsHistoryLimit"]);
  Prune(look, "Failed", spec["failedJobsHistoryLimit"]);
  UpdateActive(look);
  const Next next = Run(look);
  const bool is_written =
      look.status == look.tree["status"] || WriteStatus(cluster_, *object, [&](Json& status) { status = look.status; });
  return next && is_written ? *next : kRetry;
}

void CronJobController::Prune(Look& look, std::string_view end, const Json& limit) {
  if (!limit.is_number()) return;
  std::vector<Job> ended;
  for (const Job& job : look.jobs) {
    if (EndingOf(*job.tree)["type"].text() == end) ended.push_back(job);
  }
  // Those that never started come last.
  std::ranges::stable_sort(ended, {}, [](const Job& job) {
    const std::string& start = (*job.tree)["status"]["startTime"].text();
    return std::tuple(start.empty(), start);
  });
  const auto kept = static_cast<size_t>(std::max<int64_t>(0, limit.IntOr(0)));
  for (size_t i = 0; i + kept < ended.size(); ++i) Delete(look, *ended[i].object);
}

bool CronJobController::Delete(Look& look, const StoredObject& job) {
  const auto deleted = cluster_.objects.Delete(
      jobs_, job.ns(), job.name(), {.uid = job.uid(), .propagation = DeleteOptions::Propagation::kBackground});
  if (!deleted) {
    Report(look, "Warning", "FailedDelete", "Deleted job: " + deleted.error().message);
    return false;
  }
  StrikeActive(look.status, job.uid());
  Report(look, "Normal", "SuccessfulDelete", fmt::format("Deleted job {}", job.name()));
  return true;
}

void CronJobController::UpdateActive(Look& look) {
  std::set<std::string_view> own;
  for (const Job& job : look.jobs) {
    own.insert(job.object->uid());
    const bool was_active = IsActive(look.status, job.object->uid());
    const Json& end = EndingOf(*job.tree);
    if (!end.is_null()) {
      NoteEnd(look, job, end, was_active);
    } else if (!was_active) {
      Report(look, "Warning", "UnexpectedJob",
             fmt::format("Saw a job that the controller did not create or forgot: {}", job.object->name()));
    }
  }
  const Json active = look.status["active"];
  for (const Json& job : active.items()) {
    if (own.contains(job["uid"].text())) continue;
    if (cluster_.store().Find(jobs_, job["namespace"].text(), job["name"].text()) != nullptr) continue;
    Report(look, "Normal", "MissingJob", "Active job went missing: " + job["name"].text());
    StrikeActive(look.status, job["uid"].text());
  }
}

void CronJobController::NoteEnd(Look& look, const Job& job, const Json& end, bool was_active) {
  const std::string& type = end["type"].text();
  if (was_active) {
    StrikeActive(look.status, job.object->uid());
    Report(look, "Normal", "SawCompletedJob",
           fmt::format("Saw completed job: {}, condition: {}", job.object->name(), type));
  }
  const std::string& completed = (*job.tree)["status"]["completionTime"].text();
  // Of the same form, so that the later one is the greater one.
  if (type == "Complete" && completed > look.status["lastSuccessfulTime"].text()) {
    look.status.Set("lastSuccessfulTime", completed);
  }
}

CronJobController::Next CronJobController::Run(Look& look) {
  if (look.object->is_being_deleted()) return std::nullopt;
  const Json& spec = look.tree["spec"];
  const std::string& zone = spec["timeZone"].text();
  if (!cel::ZoneOffset(zone, 0)) {
    const std::string problem = "unknown time zone " + zone;
    Report(look, "Warning", "UnknownTimeZone", fmt::format("invalid timeZone: {}: {}", api::GoQuote(zone), problem));
    return std::nullopt;
  }
  if (spec["suspend"].AsBool()) return std::nullopt;
  const std::string& schedule = spec["schedule"].text();
  const Result<CronTimes> times = CronTimes::Of(look.tree);
  if (!times) {
    Report(look, "Warning", "UnparseableSchedule",
           fmt::format("unparseable schedule: {} : {}", api::GoQuote(schedule), times.error().message));
    return std::nullopt;
  }
  const Time now = cluster_.objects.now();
  const Result<CronTimes::Due> due = times->DueAt(now);
  if (!due) {
    Report(look, "Warning", "InvalidSchedule", fmt::format("invalid schedule: {} : {}", schedule, due.error().message));
    return std::nullopt;
  }
  if (!due->last) return times->UntilNext(now);
  if (due->missed_many) {
    Report(look, "Warning", "TooManyMissedTimes",
           "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew");
  }
  const std::optional<int64_t> deadline = spec["startingDeadlineSeconds"].AsInt();
  if (deadline && *due->last + Seconds(*deadline) < now) {
    Report(look, "Warning", "MissSchedule", "Missed scheduled time to start a job: " + MailTime(*due->last));
    return times->UntilNext(now);
  }
  return RunAt(look, *times, *due->last);
}

CronJobController::Next CronJobController::RunAt(Look& look, const CronTimes& times, Time due) {
  const Time now = cluster_.objects.now();
  const std::string& policy = look.tree["spec"]["concurrencyPolicy"].text();
  // Named by the minute, so that no time is run twice.
  const std::string name = fmt::format("{}-{}", look.object->name(), due.nanos / kMinuteNanos);
  const auto is_this = [&](const Json& job) { return job["name"].text() == name; };
  if (std::ranges::any_of(look.status["active"].items(), is_this) ||
      look.status["lastScheduleTime"].text() == FormatTime(due)) {
    return times.UntilNext(now);
  }
  if (policy == "Forbid" && !look.status["active"].empty()) {
    // The end of the active one asks for another look.
    Report(look, "Normal", "JobAlreadyActive",
           "Not starting job because prior execution is running and concurrency policy is Forbid");
    return times.UntilNext(now);
  }
  if (policy == "Replace" && !Replace(look)) return Fail(Code::kConflict, "could not replace jobs");
  const Json& wanted = look.tree["spec"]["jobTemplate"];
  auto made = cluster_.objects.Create(jobs_, look.object->ns(),
                                      JobFromTemplate(*look.object, wanted, name, LocalTime(due, times.zone())),
                                      {.manager = std::string(kControllerManager)});
  if (made) {
    Report(look, "Normal", "SuccessfulCreate", "Created job " + name);
  } else if (made.error().reason == "AlreadyExists") {
    // It was made before an interruption, unless it is somebody else's.
    const auto own = std::ranges::find(look.jobs, name, [](const Job& job) { return job.object->name(); });
    if (own == look.jobs.end()) return std::nullopt;
    made = own->object;
  } else if (Succeeded(*this, made)) {
    return std::nullopt;  // The namespace is going.
  } else {
    Report(look, "Warning", "FailedCreate", "Error creating job: " + made.error().message);
    return Fail(Code::kConflict, made.error().message);
  }
  Json& active = look.status.Make("active");
  if (!active.is_list()) active = Json::MakeList();
  active.Append(JobReference(**made));
  look.status.Set("lastScheduleTime", FormatTime(due));
  return times.UntilNext(now);
}

bool CronJobController::Replace(Look& look) {
  const Json active = look.status["active"];
  for (const Json& reference : active.items()) {
    const auto job = cluster_.objects.Get(jobs_, reference["namespace"].text(), reference["name"].text());
    if (!job) {
      Report(look, "Warning", "FailedGet", "Get job: " + job.error().message);
      return false;
    }
    if (!Delete(look, **job)) return false;
  }
  return true;
}

void CronJobController::Report(const Look& look, std::string_view type, std::string_view reason, std::string message) {
  ReportEvent(cluster_, *look.object, kCronReporter, {.type = type, .reason = reason, .message = std::move(message)});
}

}  // namespace berth::server
