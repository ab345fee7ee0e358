// SPDX-License-Identifier: Apache-2.0
// Decision: what one scheduling attempt found, with everything needed to explain it.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/diagnosis.h"
#include "framework/effects.h"
#include "framework/profile.h"
#include "scheduler/extender_protocol.h"

namespace berth::scheduler {

using cluster::NodeSlot;

enum class Outcome : uint8_t {
  kScheduled,
  kUnschedulable,
  kError,
  kWaiting,  // For an extender: the attempt is to be made again when it has answered.
};

// The scores that an extender gave, before its weight.
struct ExtenderScores {
  size_t extender = 0;  // Index in SchedulerConfiguration::extenders.
  std::vector<HostPriority> entries;
};

// The references into the cycle's buffers (diagnosis.candidates, scores) are valid until the next attempt begins.
struct Decision {
  Outcome outcome = Outcome::kError;
  NodeSlot node;                     // kScheduled: the chosen node.
  size_t feasible_count = 0;         // Nodes that the pod fits on.
  size_t tied_count = 0;             // Those of them with the highest total.
  bool is_ranked = false;            // It was chosen from nodes that are kept in order: see RankedSearch.
  std::vector<NodeSlot> best;        // The nodes it was chosen from. Not told where `is_ranked`.
  std::vector<NodeSlot> feasible;    // The nodes that the pod fits on; where `is_ranked` some of the best, if any.
  bool nominated_fast_path = false;  // The nominated node fits, so no other was looked at.
  const framework::ScoreBoard* scores = nullptr;  // Of `feasible`. Absent when there was nothing to choose by score.

  framework::PreFilterOutcome pre_filter;
  framework::Diagnosis diagnosis;
  std::string message;       // Why it was not scheduled, before PostFilter.
  std::string full_message;  // With what PostFilter added.
  std::optional<framework::PostFilterResult> post_filter;
  framework::Status failure;       // The status behind kUnschedulable and kError, where there is one.
  bool clears_nomination = false;  // The attempt failed in a way that resets the pod's nomination.
  framework::Effects effects;      // What PostFilter wants done.

  std::vector<ExtenderScores> extender_scores;
  std::vector<framework::SkippedExtender> skipped_extenders;
};

}  // namespace berth::scheduler
