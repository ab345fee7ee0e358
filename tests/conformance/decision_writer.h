// SPDX-License-Identifier: Apache-2.0
// Prints a finding in the form of the recorded decisions.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/document/json_writer.h"
#include "framework/preemption.h"
#include "scheduler/rehearsal.h"

namespace berth::conformance {

// Carries effects out until the core wants no more, and returns all that it wanted. The attempt is forgotten then.
using CarryOut = std::function<std::vector<scheduler::IssuedEffect>()>;

// One JSON object. `carry_out` is called once everything else is written; claims are written by what it returns.
std::string WriteFinding(const scheduler::Core& core, const scheduler::Rehearsal::Finding& finding,
                         const CarryOut& carry_out);

// Of the plugins that keep a pod out of the queue, the first by name; success if none does.
framework::Status FirstGate(const scheduler::Core& core, const cluster::PodInfo& pod);

// Parts of it that other forms have too.
using Names = std::vector<std::string>;
Names Sorted(Names names);
Names NodeNames(std::span<const cluster::NodeSlot> slots, const cluster::NodeTable& nodes);  // Sorted.
Names VictimNames(const framework::PreemptionCandidate& candidate);                          // Sorted.
void WriteNames(api::JsonWriter& json, std::string_view key, const Names& names);            // A member.
void WriteStatus(api::JsonWriter& json, std::string_view plugin, framework::StatusCode code, Names reasons);
void WriteStatus(api::JsonWriter& json, const framework::Status& status);
// A member: claim -> the volume chosen for it, or "provision".
void WriteVolumes(api::JsonWriter& json, const std::vector<scheduler::IssuedEffect>& effects);
void WriteScores(api::JsonWriter& json, const scheduler::Decision& decision,
                 const cluster::NodeTable& nodes);  // A member.

}  // namespace berth::conformance
