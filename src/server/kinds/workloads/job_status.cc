// SPDX-License-Identifier: Apache-2.0
// Changes of a job's status: what has ended stays ended, and counters do not go back.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "server/kinds/workloads/job.h"
#include "server/model/checks.h"
#include "server/model/find_condition.h"

namespace berth::server {
namespace {

bool HasCondition(const Json& job, std::string_view type) { return IsTrue(job["status"]["conditions"], type); }

bool IsFinished(const Json& job) { return HasCondition(job, "Complete") || HasCondition(job, "Failed"); }

void InvalidConditions(std::string_view detail, FieldErrors& errors) {
  errors.Add({.reason = "FieldValueInvalid",
              .message = fmt::format("Invalid value: {}", detail),
              .field = "status.conditions"});
}

// Rules about finished jobs count when the status or what they look at changes.
void ValidateFinished(const Json& job, const Json& old, const FieldPath& path, FieldErrors& errors) {
  const Json& status = job["status"];
  const Json& before = old["status"];
  const bool is_finished = IsFinished(job);
  const bool has_changed = is_finished != IsFinished(old);
  const auto changed = [&](std::string_view field) { return has_changed || status[field] != before[field]; };
  if (is_finished && changed("active") && status["active"].IntOr(0) > 0) {
    errors.Invalid(path / "active", status["active"], "active>0 is invalid for finished job");
  }
  const bool needs_no_start = job["spec"]["suspend"].AsBool() && job["spec"]["completions"].IntOr(1) == 0;
  if (is_finished && changed("startTime") && !needs_no_start && !status.Has("startTime")) {
    errors.Required(path / "startTime", "startTime is required for finished job");
  }
  if (is_finished && changed("terminating") && status["terminating"].IntOr(0) > 0) {
    errors.Invalid(path / "terminating", status["terminating"], "terminating>0 is invalid for finished job");
  }
}

void ValidateConditions(const Json& job, const Json& old, const FieldPath& path, FieldErrors& errors) {
  const Json& status = job["status"];
  const bool completes = HasCondition(job, "Complete");
  const bool complete_changed = completes != HasCondition(old, "Complete");
  const bool time_changed = status["completionTime"] != old["status"]["completionTime"];
  const bool failed_changed = HasCondition(job, "Failed") != HasCondition(old, "Failed");
  if (complete_changed || failed_changed) {
    if (completes && HasCondition(job, "Failed")) {
      InvalidConditions("cannot set Complete=True and Failed=true conditions", errors);
    }
  }
  if (complete_changed || time_changed) {
    if (status.Has("completionTime") && !completes) {
      errors.Invalid(path / "completionTime", status["completionTime"],
                     "cannot set completionTime when there is no Complete=True condition");
    }
    if (completes && !status.Has("completionTime")) {
      errors.Required(path / "completionTime", "completionTime is required for Complete jobs");
    }
  }
  if (failed_changed && HasCondition(job, "Failed") && !HasCondition(job, "FailureTarget")) {
    InvalidConditions("cannot set Failed=True condition without the FailureTarget=true condition", errors);
  }
  if (complete_changed && completes && !HasCondition(job, "SuccessCriteriaMet")) {
    InvalidConditions("cannot set Complete=True condition without the SuccessCriteriaMet=true condition", errors);
  }
}

}  // namespace

void ValidateJobStatusUpdate(const Json& job, const Json& old, FieldErrors& errors) {
  const FieldPath path("status");
  const Json& status = job["status"];
  const Json& before = old["status"];
  CheckNonNegative(errors, path, status, {"active", "succeeded", "failed", "ready", "terminating"});
  ValidateConditions(job, old, path, errors);
  ValidateFinished(job, old, path, errors);
  for (const std::string_view type : {"Failed", "Complete", "FailureTarget"}) {
    if (HasCondition(old, type) && !HasCondition(job, type)) {
      InvalidConditions(fmt::format("cannot disable the terminal {}=True condition", type), errors);
    }
  }
  const auto never_less = [&](std::string_view counter) {
    if (status[counter].IntOr(0) >= before[counter].IntOr(0)) return;
    errors.Invalid(path / counter, Json::Int(status[counter].IntOr(0)),
                   fmt::format("cannot decrease the {} counter", counter));
  };
  never_less("failed");
  if (job["spec"]["completionMode"].text() != "Indexed") never_less("succeeded");
}

}  // namespace berth::server
