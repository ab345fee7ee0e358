// SPDX-License-Identifier: Apache-2.0
// Schedules of cron jobs: five fields, or a name such as @daily.

#pragma once

#include <string_view>

#include "base/result.h"

namespace berth::server {

// Fails with upstream's text.
Result<void> CheckCronSchedule(std::string_view schedule);

}  // namespace berth::server
