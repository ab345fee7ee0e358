// SPDX-License-Identifier: Apache-2.0
// AttemptRecord: what one attempt to schedule a pod found, in a form that may be kept for long.
//
// Nodes are slots and plugins numbers; what many attempts have in common (verdicts, plugins that scored, texts) is
// shared. See DecisionRecords, which turns them into names.

#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "cluster/tables/node_bits.h"
#include "framework/status.h"
#include "queue/plugin_set.h"
#include "queue/queue_trail.h"
#include "scheduler/decision.h"
#include "scheduler/group_result.h"

namespace berth::scheduler {

// A set of nodes: one bit for each slot, or their slots if they are few.
class NodeSet {
 public:
  NodeSet() = default;
  // REQUIRES: no slot is there twice.
  NodeSet(std::span<const NodeSlot> slots, size_t slot_limit);
  NodeSet(const cluster::NodeBits& nodes, size_t count, size_t slot_limit);

  size_t size() const { return size_; }
  bool Contains(NodeSlot slot) const;
  // Calls `visit(NodeSlot)` for each, in the order of slots, or of the attempt if they are few.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (uint32_t i = 0; i < words_.size(); ++i) {
      if (!is_bits_) {
        visit(NodeSlot{words_[i]});
        continue;
      }
      for (uint32_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        visit(NodeSlot{i * 32 + static_cast<uint32_t>(std::countr_zero(rest))});
      }
    }
  }
  uint64_t Hash() const;
  size_t bytes() const { return words_.size() * sizeof(uint32_t); }
  bool operator==(const NodeSet&) const = default;

 private:
  std::vector<uint32_t> words_;
  uint32_t size_ = 0;
  bool is_bits_ = false;
};

// Nodes that were turned down by one plugin for the same reasons.
struct RecordedRejection {
  std::optional<queue::PluginId> plugin;  // Absent: no plugin is to blame.
  framework::StatusCode code = framework::StatusCode::kUnschedulable;
  std::vector<std::string> reasons;
  NodeSet nodes;
  bool operator==(const RecordedRejection&) const = default;
};

struct RecordedVerdicts {
  std::vector<RecordedRejection> rejections;
  // Why nodes were not looked at one by one, if there is a reason.
  std::optional<RecordedRejection> absent;

  uint64_t Hash() const;
  size_t bytes() const;
  bool operator==(const RecordedVerdicts&) const = default;
};

struct RecordedScorePlugin {
  queue::PluginId plugin;
  int64_t weight = 1;
  bool operator==(const RecordedScorePlugin&) const = default;
};

struct RecordedScore {
  NodeSlot node;
  int64_t total = 0;  // With what extenders added.
};

struct RecordedPreemption {
  struct Option {
    NodeSlot node;
    std::vector<std::string> victims;  // "namespace/name", most important first.
    // What options are compared by, in this order: less is better, for the last more.
    int64_t pdb_violations = 0;
    int32_t highest_priority = 0;
    int64_t priority_sum = 0;
    std::optional<Time> latest_start;  // Of the victims of the highest priority; absent: one has not started.
  };
  std::string message;
  std::vector<Option> options;  // The chosen one first, then by name; at most as many as scores are kept.
  size_t option_count = 0;
  bool has_chosen = false;
};

// What became of a group that was tried, shared by the records of its members.
struct RecordedGroup {
  cluster::GroupKey root;
  std::string preemption;             // What making room for it said; empty: it was not asked.
  std::vector<FailedDomain> domains;  // The first in which it does not fit.
};

struct AttemptRecord {
  int32_t number = 0;  // Of the pod's attempts, from 1.
  Time began;          // When it was taken from the queue.
  Time decided;        // Later than that if extenders were asked.
  Outcome outcome = Outcome::kError;
  bool is_nominated_node = false;  // The nominated node fitted, so no other was looked at.
  uint64_t era = 0;                // See DecisionRecords::NameOf.
  size_t node_count = 0;           // All nodes of the cluster, or of the placement of a group.
  size_t feasible_count = 0;
  size_t tied_count = 0;                                                  // Nodes with the best score.
  std::optional<NodeSlot> node;                                           // The one chosen.
  std::shared_ptr<const RecordedVerdicts> verdicts;                       // Null: no node was turned down.
  std::shared_ptr<const std::vector<RecordedScorePlugin>> score_plugins;  // Null: nothing to choose by score.
  std::vector<RecordedScore> scores;           // The chosen node, then the best of the others.
  std::vector<int64_t> plugin_scores;          // Weighted; by score, then by plugin.
  std::shared_ptr<const std::string> message;  // Why it was not scheduled; null if it was.
  std::unique_ptr<RecordedPreemption> preemption;
  std::shared_ptr<const RecordedGroup> group;  // Of a member that was tried with its group.
  queue::QueueTrail trail;                     // Since the attempt before.

  // Of a pod that got a node: when it no longer waited on permit, and when it was bound or given up.
  std::optional<Time> permitted;
  std::optional<Time> ended;
  bool was_refused = false;  // It was given up; `message` says why.
};

}  // namespace berth::scheduler
