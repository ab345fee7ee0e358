// SPDX-License-Identifier: Apache-2.0
// Plan: what would come of applying objects to a cluster, or to a cluster that is changed first.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/document/json_tree.h"
#include "base/result.h"
#include "explain/pacer.h"
#include "explain/question.h"
#include "explain/surroundings.h"
#include "explain/utilization.h"

namespace berth::explain {

struct PlanAnswer {
  std::vector<PodFate> pods;        // That came, and those that waited before and got a place; by name.
  std::vector<Eviction> evictions;  // In their order.
  size_t still_pending = 0;         // Pods that waited before and wait on.
  NodeUsage before;                 // Of all nodes together.
  NodeUsage after;
  std::vector<std::string> notes;  // What could not be known.
  // If the question wants them: the nodes that are other than before, or gone, by name. As explain/node_state.h has it.
  std::optional<std::vector<api::Json>> nodes;

  // Pods that came and have no place.
  size_t unplaced() const;
};

// Applies the question in these surroundings, in which nothing moves, and lets them go on until nothing moves any more.
Result<PlanAnswer> Plan(Surroundings& surroundings, const Question& question, Pacer& pacer);

api::Json ToJson(const PlanAnswer& answer);
// The same for people, made of the JSON: at most 80 columns, unless names are longer.
std::string PlanText(const api::Json& answer);

}  // namespace berth::explain
