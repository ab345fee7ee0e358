// SPDX-License-Identifier: Apache-2.0
// PriceScheduler: a scheduler that knows PreferCheapNodes besides the built-in plugins.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scheduler/rehearsal.h"

namespace example {

// A scheduler configured by the text of a KubeSchedulerConfiguration.
berth::Result<std::unique_ptr<berth::scheduler::Rehearsal>> MakePriceScheduler(std::string_view configuration);

// Feeds the objects of a manifest (YAML or JSON) to the scheduler.
berth::Result<void> PutObjects(berth::scheduler::Rehearsal& scheduler, std::string_view manifest);

// Tries every pending pod once, by name, and says what became of it, one line each.
std::vector<std::string> ScheduleAll(berth::scheduler::Rehearsal& scheduler);

}  // namespace example
