// SPDX-License-Identifier: Apache-2.0
// RunScheduler: a scheduler's life from its options to its exit code.

#pragma once

#include "app/scheduler/flags/options.h"

namespace berth::scheduler_app {

// Returns the exit code of the process.
int RunScheduler(const Options& options);

}  // namespace berth::scheduler_app
