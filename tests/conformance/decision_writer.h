// SPDX-License-Identifier: Apache-2.0
// Prints an attempt in the form of the recorded decisions.

#pragma once

#include <string>

#include "scheduler/scheduler.h"

namespace berth::conformance {

// One JSON object. Runs PreBind of a scheduled attempt to learn which volumes were chosen.
std::string WriteAttempt(scheduler::Scheduler& core, scheduler::Attempt& attempt);

}  // namespace berth::conformance
