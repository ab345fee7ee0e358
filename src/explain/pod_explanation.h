// SPDX-License-Identifier: Apache-2.0
// PodExplanation: why a pod waits, or why it is where it is, as the core knows it.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "explain/explanation.h"
#include "explain/queue_place.h"

namespace berth::explain {

struct PodQuestion {
  std::string ns;
  std::string name;
  std::string why_not;     // A node; empty: none in particular.
  bool all_nodes = false;  // Node by node.
  size_t limit = 5;        // Nodes per list.
};

struct PodExplanation {
  std::string ns, name, uid, scheduler_name;
  int32_t priority = 0;
  std::string node;            // Empty: none.
  std::string nominated_node;  // Empty: none.
  std::string summary;         // One sentence.
  QueuePlace place;
  std::vector<Explanation> attempts;   // Those that are remembered, the last one first.
  std::optional<NodeFinding> why_not;  // Of the last attempt.
  std::vector<NodeFinding> nodes;      // The same, of all nodes.
  std::vector<std::string> notes;      // What is not known, and why.
};

// Fails with Code::kNotFound if there is no such pod.
Result<PodExplanation> ExplainPod(const scheduler::Core& core, const PodQuestion& question, Time now);
void WritePodExplanation(api::JsonWriter& json, const PodExplanation& explanation);

}  // namespace berth::explain
