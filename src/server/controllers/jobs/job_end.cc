// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_end.h"

#include <fmt/format.h>

#include <string>

#include "server/model/find_condition.h"

namespace berth::server {
namespace {

JobEnd Failure(std::string reason, std::string message) {
  return {.condition = {.type = kFailureTarget, .reason = std::move(reason), .message = std::move(message)}};
}

JobEnd Success(std::string reason, std::string message) {
  return {.condition = {.type = kSuccessCriteriaMet, .reason = std::move(reason), .message = std::move(message)}};
}

// What its status says already.
std::optional<JobEnd> Announced(const JobLook& look) {
  for (const std::string_view type : {kSuccessCriteriaMet, kFailureTarget}) {
    const Json& said = FindCondition(look.status["conditions"], type);
    if (said["status"].text() != "True") continue;
    return JobEnd{.condition = {.type = type, .reason = said["reason"].text(), .message = said["message"].text()},
                  .is_new = false};
  }
  return std::nullopt;
}

std::optional<JobEnd> FailureByPolicy(const JobLook& look) {
  if (!look.spec().Has("podFailurePolicy")) return std::nullopt;
  for (const PodInfo& pod : look.pods) {
    if (!look.HasFailed(pod)) continue;
    const FailureVerdict verdict = look.Judge(pod);
    if (!verdict.fails_job.empty()) return Failure("PodFailurePolicy", verdict.fails_job);
  }
  return std::nullopt;
}

// Pods that restart their containers do not fail: their restarts count.
bool RestartsTooOften(const JobLook& look, int64_t limit) {
  if (look.spec()["template"]["spec"]["restartPolicy"].text() != "OnFailure") return false;
  int64_t restarts = 0;
  for (const PodInfo& pod : look.pods) restarts += pod.has_ended() ? 0 : pod.restarts;
  return limit == 0 ? restarts > 0 : restarts >= limit;
}

std::optional<JobEnd> FailureByLimits(const JobLook& look, Time now) {
  const int64_t limit = look.spec()["backoffLimit"].IntOr(6);
  if (look.failed > limit || RestartsTooOften(look, limit)) {
    return Failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (const std::optional<Time> deadline = DeadlineOf(look); deadline && *deadline <= now) {
    return Failure("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  if (!look.failed_indexes || look.failed_indexes->empty()) return std::nullopt;
  const int64_t failed = look.failed_indexes->size();
  if (const std::optional<int64_t> most = look.spec()["maxFailedIndexes"].AsInt(); most && failed > *most) {
    return Failure("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  if (failed + look.completed_indexes.size() < look.completions) return std::nullopt;
  return Failure("FailedIndexes", "Job has failed indexes");
}

bool IsMet(const Json& rule, const JobLook& look) {
  const std::optional<int64_t> count = rule["succeededCount"].AsInt();
  if (!rule.Has("succeededIndexes")) return count && look.completed_indexes.size() >= *count;
  const IndexSet wanted = IndexSet::Parse(rule["succeededIndexes"].text(), look.completions);
  const int64_t common = wanted.CountCommon(look.completed_indexes);
  return !wanted.empty() && (common == wanted.size() || (count && common >= *count));
}

std::optional<JobEnd> SuccessByPolicy(const JobLook& look) {
  if (look.completed_indexes.empty()) return std::nullopt;
  const Json::List& rules = look.spec()["successPolicy"]["rules"].items();
  for (size_t i = 0; i < rules.size(); ++i) {
    if (IsMet(rules[i], look)) return Success("SuccessPolicy", fmt::format("Matched rules at index {}", i));
  }
  return std::nullopt;
}

}  // namespace

std::optional<JobEnd> EndOf(const JobLook& look, Time now) {
  if (std::optional<JobEnd> end = Announced(look)) return end;
  if (std::optional<JobEnd> end = FailureByPolicy(look)) return end;
  if (std::optional<JobEnd> end = FailureByLimits(look, now)) return end;
  return SuccessByPolicy(look);
}

std::optional<JobEnd> CompletionOf(const JobLook& look) {
  if (look.active > 0) return std::nullopt;
  // Without a number of completions, one success is enough once all pods have ended.
  const std::optional<int64_t> wanted = look.spec()["completions"].AsInt();
  if (look.succeeded < wanted.value_or(1)) return std::nullopt;
  return Success("CompletionsReached", "Reached expected number of succeeded pods");
}

std::optional<Time> DeadlineOf(const JobLook& look) {
  const std::optional<int64_t> seconds = look.spec()["activeDeadlineSeconds"].AsInt();
  const Result<Time> began = ParseTime(look.status["startTime"].text());
  if (!seconds || !began || look.is_suspended()) return std::nullopt;
  return *began + Seconds(*seconds);
}

}  // namespace berth::server
