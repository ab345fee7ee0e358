// SPDX-License-Identifier: Apache-2.0
// What a Job says of itself: how it counts, whether it is over, and its conditions.

#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

struct JobCondition {
  std::string_view type;
  bool is_true = true;
  std::string reason = {};
  std::string message = {};
};

bool IsIndexed(const Json& job);
// The condition by which a Job says that it is over, Complete or Failed; null while it goes on.
const Json& EndingOf(const Json& job);
inline bool HasEnded(const Json& job) { return !EndingOf(job).is_null(); }
// Whether another controller than this one manages it.
bool IsManagedElsewhere(const Json& job);

// Sets a condition, and says whether that changed anything. One that was never true is not set to false.
bool SetJobCondition(Json& status, const JobCondition& condition, Time now);
// Adds a condition behind the others, whatever they are.
void AppendJobCondition(Json& status, const JobCondition& condition, Time now);

}  // namespace berth::server
