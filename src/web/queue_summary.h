// SPDX-License-Identifier: Apache-2.0
// QueueSummary: how many pods wait in which state, for how long, and why: reasons of the last attempts, grouped.
//
// A pod counts under each reason for which some node was turned down, and under what holds it back if it was not tried.
// So the first reason is the one whose end would help most pods.

#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "explain/pacer.h"
#include "scheduler/core.h"

namespace berth::web {

struct QueueSummary {
  static constexpr size_t kReasonsMax = 50;
  static constexpr size_t kExamplesMax = 5;  // Pods that are named, of one reason.

  std::string json;
  size_t pods = 0;  // That wait.
};

// `now` is the time of day. Cost: of each pod that waits a few lookups; it pauses between them.
Result<QueueSummary> SummarizeQueue(const scheduler::Core& core, explain::Pacer& pacer, Time now);

}  // namespace berth::web
