// SPDX-License-Identifier: Apache-2.0
// Algorithm: decides where one pod goes: pre-filter, filter, post-filter, score, select.
//
// It reads the cluster and changes nothing in it; assuming the pod is the caller's part.
//
// Thread: core.

#pragma once

#include <optional>

#include "scheduler/decision.h"
#include "scheduler/node_search.h"

namespace berth::scheduler {

class Algorithm {
 public:
  explicit Algorithm(std::optional<int32_t> percentage_of_nodes_to_score) : search_(percentage_of_nodes_to_score) {}

  // Never throws: what a plugin throws becomes an Outcome::kError.
  Decision Decide(const framework::Profile& profile, framework::Cycle& cycle);

  // Hears of the steps of every decision from now on; nullptr: nobody does.
  void set_observer(framework::Observer* observer) { observer_ = observer; }

  const NodeSearch& search() const { return search_; }

 private:
  void Reached(framework::Observer::Step step) const {
    if (observer_ != nullptr) observer_->Reached(step);
  }
  void FindNodes(const framework::Profile& profile, framework::Cycle& cycle, Decision& decision);
  void Select(const framework::Profile& profile, framework::Cycle& cycle, Decision& decision);

  framework::Observer* observer_ = nullptr;
  NodeSearch search_;
  framework::ScoreBoard board_;
};

}  // namespace berth::scheduler
