// SPDX-License-Identifier: Apache-2.0
// Algorithm: decides where one pod goes: pre-filter, filter, post-filter, score, select.
//
// It reads the cluster and changes nothing in it; assuming the pod is the caller's part.
//
// Thread: core.

#pragma once

#include <span>
#include <utility>

#include "scheduler/decision.h"
#include "scheduler/extender_calls.h"
#include "scheduler/node_search.h"
#include "scheduler/ranked_search.h"

namespace berth::scheduler {

class Algorithm {
 public:
  explicit Algorithm(const framework::SchedulerConfiguration& configuration)
      : extenders_(configuration), search_(MakeSearch(configuration)) {}

  // Never throws: what a plugin throws becomes an Outcome::kError. Extenders take part through `dialog`, if there is
  // one.
  Decision Decide(const framework::Profile& profile, framework::Cycle& cycle, ExtenderDialog* dialog = nullptr);
  // The same, with every node looked at and told of; no extender is asked.
  Decision DecideInFull(const framework::Profile& profile, framework::Cycle& cycle);

  // Takes away the rows of nodes that extenders returned, to which the last decision may refer.
  void ForgetReturnedNodes(cluster::Cluster& cluster) { returned_.Clear(cluster); }

  // Decides by another configuration from now on; returns the extenders that were asked so far, where they were.
  Extenders Reconfigure(const framework::SchedulerConfiguration& configuration) {
    Extenders before = std::exchange(extenders_, Extenders(configuration));
    search_ = MakeSearch(configuration);
    ranked_.Clear();
    return before;
  }
  // Goes on where another one is, on a copy of its cluster.
  void ContinueFrom(const Algorithm& other) {
    search_.set_next_start(other.search_.next_start());
    returned_ = other.returned_;
  }

  // Hears of the steps of every decision from now on; nullptr: nobody does.
  void set_observer(framework::Observer* observer) { observer_ = observer; }

  const NodeSearch& search() const { return search_; }
  RankedSearch& ranked() { return ranked_; }
  const RankedSearch& ranked() const { return ranked_; }
  // Compares every decision of the ranked search with one of a full search.
  void set_checks(bool checks) { checks_ = checks; }
  const Extenders& extenders() const { return extenders_; }

 private:
  NodeSearch MakeSearch(const framework::SchedulerConfiguration& configuration) const {
    return NodeSearch(configuration.percentage_of_nodes_to_score,
                      extenders_.any_filter() || extenders_.any_prioritizer());
  }
  void Reached(framework::Observer::Step step) const {
    if (observer_ != nullptr) observer_->Reached(step);
  }
  // `calls` is nullptr where no extender is interested in the pod.
  void DecideOrFail(const framework::Profile& profile, framework::Cycle& cycle, ExtenderCalls* calls,
                    Decision& decision);
  void Decide(const framework::Profile& profile, framework::Cycle& cycle, ExtenderCalls* calls, Decision& decision);
  void FindNodes(const framework::Profile& profile, framework::Cycle& cycle, ExtenderCalls* calls, Decision& decision);
  void Search(const framework::Profile& profile, framework::Cycle& cycle, Decision& decision);
  bool DecideByRank(const framework::Profile& profile, framework::Cycle& cycle, Decision& decision);
  void CheckRank(const framework::Profile& profile, framework::Cycle& cycle, const Decision& ranked);
  void Select(const framework::Profile& profile, framework::Cycle& cycle, ExtenderCalls* calls, Decision& decision);
  // The nodes with the highest total. `has_entry` is empty where no extender scores.
  void Pick(std::span<const uint8_t> has_entry, Decision& decision) const;

  framework::Observer* observer_ = nullptr;
  Extenders extenders_;
  ReturnedNodes returned_;
  NodeSearch search_;
  RankedSearch ranked_;
  bool may_rank_ = true;
  framework::ScoreBoard board_;
#ifdef BERTH_CHECKS
  bool checks_ = true;
#else
  bool checks_ = false;
#endif
};

}  // namespace berth::scheduler
