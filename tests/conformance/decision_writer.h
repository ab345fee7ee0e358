// SPDX-License-Identifier: Apache-2.0
// Prints an attempt in the form of the recorded decisions.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/json_writer.h"
#include "framework/preemption.h"
#include "scheduler/scheduler.h"

namespace berth::conformance {

// One JSON object. Runs PreBind of a scheduled attempt to learn which volumes were chosen.
std::string WriteAttempt(scheduler::Scheduler& core, scheduler::Attempt& attempt);

// Parts of it that other forms have too.
using Names = std::vector<std::string>;
Names Sorted(Names names);
Names NodeNames(std::span<const cluster::NodeSlot> slots, const cluster::NodeTable& nodes);  // Sorted.
Names VictimNames(const framework::PreemptionCandidate& candidate);                          // Sorted.
void WriteNames(api::JsonWriter& json, std::string_view key, const Names& names);            // A member.
void WriteStatus(api::JsonWriter& json, std::string_view plugin, framework::StatusCode code, Names reasons);
void WriteStatus(api::JsonWriter& json, const framework::Status& status);
void WriteScores(api::JsonWriter& json, const scheduler::Decision& decision,
                 const cluster::NodeTable& nodes);  // A member.

}  // namespace berth::conformance
