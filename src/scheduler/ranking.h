// SPDX-License-Identifier: Apache-2.0
// Ranking: the nodes for pods of one template, best first, kept from one attempt to the next.
//
// Between two pods of a kind only few nodes change, and only those are judged again. What plugins say of a node by its
// row alone is kept as its standing: a total of scores, what they were before they were cut to integers, and how many
// pods of the same owner are there. What they say by its traits, such as its zone or how many pods it has that match a
// selector, is the same for all nodes of a cohort, so in every attempt it is asked once per cohort, of its first node.
// The best node is then the first of some cohort: nobody else is looked at.
//
// Everything is exact. RankedSearch::set_checks compares each answer with that of a full search.
//
// Thread: core. Cost: about 160 bytes per node; an attempt takes the cohorts, and for every node that changed the
// logarithm of their number.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "framework/fine_score.h"
#include "framework/profile.h"

namespace berth::scheduler {

using cluster::NodeSlot;

class Ranking {
 public:
  // What puts one node of a cohort before another.
  struct Standing {
    int64_t total = 0;  // Of the weighted scores that depend on the node alone.
    framework::FineMean fine;
    int32_t of_owner = 0;  // Pods of the same owner that are there.

    bool IsAhead(const Standing& other) const {
      if (total != other.total) return total > other.total;
      if (other.fine < fine) return true;
      if (fine < other.fine) return false;
      return of_owner < other.of_owner;
    }
  };
  // A standing, and a place on the ring among those who share it.
  struct Place {
    Standing standing;
    uint64_t ring = 0;
  };
  struct Ahead {
    using is_transparent = void;
    const Ranking* ranking;
    bool operator()(NodeSlot a, NodeSlot b) const;
    bool operator()(NodeSlot a, const Place& b) const;
  };
  using Nodes = std::set<NodeSlot, Ahead>;

  // Nodes that pass the filters by node, and that no plugin tells apart by their traits.
  struct Cohort {
    framework::TraitPlugin::Traits traits;
    std::vector<int64_t> raw_scores;  // Of Part::kRaw, in the order of the plan.
    Nodes nodes;                      // The best first.
    cluster::NodeBits members;        // The same, to be told as a whole.
    std::map<int64_t, size_t> by_total;

    const NodeSlot& first() const { return *nodes.begin(); }
    // How many nodes share the total of the first.
    size_t tied() const { return by_total.rbegin()->second; }
  };

  // A ranking without nodes, for pods of this template.
  Ranking(const framework::Profile& profile, const cluster::PodTemplatePtr& pod_template)
      : profile_(&profile), template_(pod_template) {}
  Ranking(const Ranking&) = delete;
  Ranking& operator=(const Ranking&) = delete;

  // Judges anew what has changed since the last call. False if that cannot be done: all nodes have to be searched then.
  bool Repair(const framework::Profile::RankPlan& plan, framework::Cycle& cycle);

  // Those that have nodes.
  const std::map<framework::TraitPlugin::Traits, Cohort>& cohorts() const { return cohorts_; }
  const Standing& standing(NodeSlot node) const { return rows_[node.index].standing; }
  // Of the nodes of `cohort` that stand where its first one stands: the first from `start` on, on their ring.
  NodeSlot Next(const Cohort& cohort, uint64_t start) const;
  uint64_t ring(NodeSlot node) const { return rows_[node.index].ring; }

  // Nodes that the filters by node turn down.
  size_t rejected_count() const { return rejected_count_; }
  // Tells their verdicts.
  void CopyVerdicts(framework::Candidates& candidates) const;

  // How many nodes would have to be judged anew.
  size_t RepairCost(const cluster::NodeTable& nodes) const;
  bool IsBuiltBy(const framework::Profile::RankPlan& plan) const { return is_built_ && plan_.SameTables(plan); }

  // Whether there are pods of the template.
  bool is_wanted() const { return !template_.expired(); }
  bool IsFor(const framework::Profile& profile, const cluster::PodTemplatePtr& pod_template) const {
    return profile_ == &profile && template_.lock() == pod_template;
  }
  size_t node_count() const { return rows_.size(); }

 private:
  static constexpr size_t kNotRejected = ~size_t{0};
  struct Row {
    Standing standing;
    uint64_t ring = 0;
    Cohort* cohort = nullptr;        // nullptr: not ranked.
    Nodes::iterator in_cohort;       // Where there is one.
    size_t rejected = kNotRejected;  // The entry of rejected_ that has the node.
    bool is_changed = false;
  };

  void Reset(size_t size);
  // The rows to be judged, each once. None of them is ranked any more.
  void CollectChanges(const cluster::NodeTable& nodes);
  void TakeOut(NodeSlot node);
  bool Judge(framework::Cycle& cycle);
  void Reject(NodeSlot node, framework::Verdict verdict);
  // The nodes that passed.
  bool Rate(framework::Cycle& cycle, std::span<const NodeSlot> nodes);
  void Enter(std::span<const NodeSlot> nodes, const framework::Cycle& cycle);

  const framework::Profile* profile_;
  std::weak_ptr<const cluster::PodTemplate> template_;
  framework::Profile::RankPlan plan_;  // By which the rows were judged.
  std::vector<Row> rows_;              // By slot.
  std::map<framework::TraitPlugin::Traits, Cohort> cohorts_;
  framework::ReasonTable reasons_;
  std::vector<framework::Candidates::Rejected> rejected_;  // By verdict; their reasons are in reasons_.
  size_t rejected_count_ = 0;
  bool is_built_ = false;
  uint64_t seen_ = 0;  // Changes of the node table that are taken into account.
  // Used again by every repair.
  std::vector<NodeSlot> changed_;
  std::vector<std::vector<int64_t>> raw_;  // By part, then by node.
  std::vector<framework::FineMean> fine_;
  framework::Scores scores_;
};

}  // namespace berth::scheduler
