// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/job_status.h"

#include <algorithm>

#include "server/model/find_condition.h"

namespace berth::server {
namespace {

// Without a number of completions, one success is enough once all pods have ended.
bool HasCompletions(const Json& job) { return job["spec"].Has("completions"); }

Json* FindJobCondition(Json& status, std::string_view type) {
  Json& conditions = status.Make("conditions");
  if (!conditions.is_list()) conditions = Json::MakeList();
  return FindMutableCondition(conditions, type);
}

void SetCondition(Json& status, std::string_view type, bool is_true, std::string_view reason, std::string_view message,
                  const std::string& now) {
  const Json value = Json::String(is_true ? "True" : "False");
  Json* present = FindJobCondition(status, type);
  if (present != nullptr && (*present)["status"] == value) return;
  if (present == nullptr && !is_true) return;
  Json condition{{"type", Json::String(type)},         {"status", value},
                 {"reason", Json::String(reason)},     {"message", Json::String(message)},
                 {"lastProbeTime", Json::String(now)}, {"lastTransitionTime", Json::String(now)}};
  if (present != nullptr) {
    *present = std::move(condition);
  } else {
    status.Make("conditions").Append(std::move(condition));
  }
}

// As `0-2,5`.
std::string DoneIndices(const std::vector<JobCounts::Index>& indices) {
  std::string text;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] != JobCounts::Index::kDone) continue;
    const size_t first = i;
    while (i + 1 < indices.size() && indices[i + 1] == JobCounts::Index::kDone) ++i;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (i > first) text += '-' + std::to_string(i);
  }
  return text;
}

void SetSuspended(Json& status, bool is_suspended, const std::string& now) {
  if (is_suspended) {
    SetCondition(status, "Suspended", true, "JobSuspended", "Job suspended", now);
    status.Erase("startTime");
  } else {
    SetCondition(status, "Suspended", false, "JobResumed", "Job resumed", now);
    status.SetDefault("startTime", Json::String(now));
  }
}

}  // namespace

bool IsIndexed(const Json& job) { return job["spec"]["completionMode"].text() == "Indexed"; }

bool HasEnded(const Json& job) {
  return std::ranges::any_of(job["status"]["conditions"].items(), [](const Json& condition) {
    const std::string& type = condition["type"].text();
    return (type == "Complete" || type == "Failed") && condition["status"].text() == "True";
  });
}

std::optional<Time> DeadlineOf(const Json& job) {
  const std::optional<int64_t> seconds = job["spec"]["activeDeadlineSeconds"].AsInt();
  const Result<Time> began = ParseTime(job["status"]["startTime"].text());
  if (!seconds || !began) return std::nullopt;
  return *began + Seconds(*seconds);
}

std::optional<JobEnd> EndOf(const Json& job, const JobCounts& counts, Time now) {
  const Json& spec = job["spec"];
  if (counts.failed > spec["backoffLimit"].IntOr(6)) {
    return JobEnd{"Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"};
  }
  if (const std::optional<Time> deadline = DeadlineOf(job); deadline && *deadline <= now) {
    return JobEnd{"Failed", "DeadlineExceeded", "Job was active longer than specified deadline"};
  }
  const bool is_complete = HasCompletions(job) ? counts.succeeded >= spec["completions"].IntOr(1)
                                               : counts.succeeded > 0 && counts.active == 0;
  if (!is_complete) return std::nullopt;
  return JobEnd{"Complete", "CompletionsReached", "Reached expected number of succeeded pods"};
}

int64_t WantedActive(const Json& job, const JobCounts& counts) {
  const Json& spec = job["spec"];
  const int64_t parallelism = spec["parallelism"].IntOr(1);
  if (HasCompletions(job)) return std::min(parallelism, spec["completions"].IntOr(1) - counts.succeeded);
  // No more are started once one has succeeded.
  return counts.succeeded > 0 ? std::min(parallelism, counts.active) : parallelism;
}

void SetJobStatus(Json& status, const Json& job, const JobCounts& counts, const std::optional<JobEnd>& end, Time now) {
  const std::string when = FormatTime(now);
  SetSuspended(status, job["spec"]["suspend"].AsBool(), when);
  for (const auto& [name, number] : {std::pair<std::string_view, int64_t>{"active", end ? 0 : counts.active},
                                     {"succeeded", counts.succeeded},
                                     {"failed", counts.failed}}) {
    status.Set(name, Json::Int(number));
    if (number == 0) status.Erase(name);
  }
  status.Set("ready", Json::Int(end ? 0 : counts.ready));
  status.Set("terminating", Json::Int(0));
  status.Set("uncountedTerminatedPods", Json::MakeMap());
  if (const std::string done = DoneIndices(counts.indices); !done.empty()) status.Set("completedIndexes", done);
  if (end) {
    const bool is_complete = end->condition == "Complete";
    if (is_complete) status.Set("completionTime", when);
    SetCondition(status, is_complete ? "SuccessCriteriaMet" : "FailureTarget", true, end->reason, end->message, when);
    SetCondition(status, end->condition, true, end->reason, end->message, when);
  }
  if (status["conditions"].empty()) status.Erase("conditions");
}

}  // namespace berth::server
