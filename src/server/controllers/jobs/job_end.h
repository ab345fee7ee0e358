// SPDX-License-Identifier: Apache-2.0
// Whether a Job is over, and why.

#pragma once

#include <optional>

#include "server/controllers/jobs/job_look.h"
#include "server/controllers/jobs/job_status.h"

namespace berth::server {

// What a Job says first, while its pods go, and in the end.
inline constexpr std::string_view kFailureTarget = "FailureTarget";
inline constexpr std::string_view kSuccessCriteriaMet = "SuccessCriteriaMet";

// Why its pods shall stop: what it said before, or what has come true. `is_new` of one that it said already is false.
struct JobEnd {
  JobCondition condition;  // FailureTarget or SuccessCriteriaMet.
  bool is_new = true;

  bool is_success() const { return condition.type == kSuccessCriteriaMet; }
};

// Nothing: it goes on, as far as its limits and policies are concerned.
std::optional<JobEnd> EndOf(const JobLook& look, Time now);

// The end of a Job that has as many successes as it asks for, and no pods at work.
std::optional<JobEnd> CompletionOf(const JobLook& look);

// When it has run long enough. Nothing: it has all the time in the world.
std::optional<Time> DeadlineOf(const JobLook& look);

}  // namespace berth::server
