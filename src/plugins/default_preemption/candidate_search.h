// SPDX-License-Identifier: Apache-2.0
// CandidateSearch: dry runs of preemption over the nodes where it may help, until there are enough candidates.
//
// Preemption may help where a node was rejected but not for good (code Unschedulable). The search starts at a random
// one of them and goes round. It ends when a candidate without violations of disruption budgets and, all together, the
// wanted number of candidates are there; that number is a share of the nodes and at least some absolute number.
//
// Thread: core.

#pragma once

#include <string>
#include <vector>

#include "framework/diagnosis.h"
#include "framework/preemption.h"
#include "framework/profile.h"
#include "plugins/default_preemption/default_preemption.h"
#include "plugins/default_preemption/kept_pods.h"

namespace berth::plugins {

struct CandidateSearch {
  std::vector<framework::PreemptionCandidate> candidates;  // Those without violations first.
  std::string fit_message;                                 // Why there are none: "0/N nodes are available: ...".
  std::string error;                                       // Internal errors on nodes; empty if there were none.
};

CandidateSearch FindCandidates(const framework::Profile& profile, framework::Cycle& cycle,
                               const framework::Diagnosis& diagnosis, const DefaultPreemption::Args& args,
                               KeptPods& kept);

}  // namespace berth::plugins
