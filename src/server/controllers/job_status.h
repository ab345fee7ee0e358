// SPDX-License-Identifier: Apache-2.0
// How a Job is: the counts of its pods, whether it is over, and what its status says about that.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

inline constexpr std::string_view kJobIndex = "batch.kubernetes.io/job-completion-index";

struct JobCounts {
  enum class Index : uint8_t { kFree, kAtWork, kDone };

  int64_t active = 0;
  int64_t ready = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  std::vector<Index> indices;  // Empty unless the job is indexed.
};

// Why a job is over.
struct JobEnd {
  std::string_view condition;  // Complete or Failed.
  std::string_view reason;
  std::string_view message;
};

bool IsIndexed(const Json& job);
// Whether its status says that it is over.
bool HasEnded(const Json& job);

// Whether a job with these counts is over now. Nothing: it goes on.
std::optional<JobEnd> EndOf(const Json& job, const JobCounts& counts, Time now);
// When it ran long enough. Nothing: it has all the time in the world.
std::optional<Time> DeadlineOf(const Json& job);
// How many pods should be at work.
int64_t WantedActive(const Json& job, const JobCounts& counts);

// Changes `status` to what is the case.
void SetJobStatus(Json& status, const Json& job, const JobCounts& counts, const std::optional<JobEnd>& end, Time now);

}  // namespace berth::server
