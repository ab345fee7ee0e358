// SPDX-License-Identifier: Apache-2.0
// RankedSearch: decides for pods that come again and again, from nodes that are kept in order.
//
// A ranking is worth its making when many pods of a template are tried, and its repair when fewer nodes have changed
// than a full search looks at. So every full search is a credit to its template, and what has to be judged anew is paid
// for with it: whatever comes, that costs at most as much again. The ranking that was not asked for longest goes when
// there are too many. Where a ranking does not reach (a
// plugin that depends on more than nodes and their traits, nodes that others are nominated to, extenders, groups, a
// sample of the nodes), all nodes are searched.
//
// Thread: core.

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/tables/table_size.h"
#include "scheduler/decision.h"
#include "scheduler/ranking.h"

namespace berth::scheduler {

class RankedSearch {
 public:
  // Fills in the node of `decision`, or that there is none, with the verdicts in cycle.candidates(). False, and
  // nothing but some verdicts is written: all nodes have to be searched. REQUIRES: PreFilter has run, and the pod may
  // go to any node.
  bool Decide(const framework::Profile& profile, framework::Cycle& cycle, Decision& decision);

  // The scores of how many nodes, and the verdicts on all, a decision tells for a record; 0: of none.
  void set_told_nodes(size_t count) { told_nodes_ = count; }
  // As many full searches cost about as much as to make a ranking.
  void set_patience(size_t searches) { patience_ = searches; }

  // Forgets all: the profiles have changed.
  void Clear();
  void AppendSizes(cluster::TableSizes& sizes) const;

 private:
  // The nodes with which cohorts are asked, and what they were told.
  struct Entrants {
    std::vector<const Ranking::Cohort*> cohorts;
    std::vector<NodeSlot> nodes;  // The first of each.
    std::vector<size_t> counts;   // How many nodes each has.
    std::vector<int64_t> totals;  // Of the scores that cohorts have in common.
    size_t node_count = 0;        // Of all.
    std::vector<std::pair<const Ranking::Cohort*, framework::Verdict>> rejected;

    void Clear();
  };

  // Whether it is worth while to judge so many nodes anew for the pod. If not, a full search is to its credit.
  bool IsWorthwhile(size_t judged, const cluster::PodInfo& pod, size_t node_count);
  // Drops what nobody will ask for again.
  void Sweep();
  Ranking* Find(const framework::Profile& profile, const cluster::PodInfo& pod);
  Ranking& Make(const framework::Profile& profile, const cluster::PodInfo& pod, size_t node_count);
  bool FilterCohorts(const framework::Profile& profile, framework::Cycle& cycle, const Ranking& ranking);
  void CopyVerdicts(const Ranking& ranking, framework::Candidates& candidates) const;
  bool ScoreCohorts(const framework::Profile& profile, framework::Cycle& cycle);
  void Choose(const Ranking& ranking, uint64_t start, Decision& decision) const;
  // What a record tells of a pod that has a node.
  void Tell(const framework::Profile& profile, framework::Cycle& cycle, const Ranking& ranking, Decision& decision);

  struct Kept {
    std::unique_ptr<Ranking> ranking;
    uint64_t last_use = 0;
  };
  std::vector<Kept> rankings_;
  uint64_t clock_ = 0;
  boost::unordered_flat_map<uint64_t, size_t> credits_;  // By template: nodes that may be judged.
  size_t told_nodes_ = 0;
  size_t patience_ = 32;
  // Used again by every attempt.
  framework::Profile::RankPlan plan_;
  Entrants entrants_;
  std::vector<framework::Scores> columns_;  // By entry of the plan: of the entrants, normalised.
  framework::ScoreBoard board_;
};

}  // namespace berth::scheduler
