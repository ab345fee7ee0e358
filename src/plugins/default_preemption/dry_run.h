// SPDX-License-Identifier: Apache-2.0
// Dry run of preemption on one node: which pods have to go so that the pod of the cycle fits there.
//
// All pods of lower priority are taken away. If the pod fits then, they are put back unit by unit (VictimUnit), as long
// as it still fits: first those that a disruption budget protects, in both groups the most important ones first. Those
// that cannot be put back are the victims.
//
// Thread: core. Cost: one run of the filters, and one more per pod of lower priority.

#pragma once

#include <expected>
#include <string_view>

#include "framework/preemption.h"
#include "framework/profile.h"
#include "plugins/default_preemption/disruption_budgets.h"

namespace berth::plugins {

// Why preemption does not help on a node without pods of lower priority.
inline constexpr std::string_view kNoVictims = "No preemption victims found for incoming pod";

// The node as a candidate, or why preemption does not help there. The node's row and the plugins' states are as before
// afterwards.
std::expected<framework::PreemptionCandidate, framework::Status> DryRunOnNode(const framework::Profile& profile,
                                                                              framework::Cycle& cycle,
                                                                              cluster::NodeSlot node,
                                                                              DisruptionBudgets& budgets);

}  // namespace berth::plugins
