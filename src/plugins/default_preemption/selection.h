// SPDX-License-Identifier: Apache-2.0
// Selection: which preemption candidates do the least harm.

#pragma once

#include <span>
#include <vector>

#include "framework/preemption.h"

namespace berth::plugins {

// Indexes of the best candidates; several if they are equal in everything that counts. That is, the first difference
// deciding: the fewest violations of disruption budgets, the lowest priority of the most important victim, the smallest
// sum of priorities, the fewest victims, the latest start of the most important victim.
std::vector<size_t> LeastHarmful(std::span<const framework::PreemptionCandidate> candidates);

}  // namespace berth::plugins
