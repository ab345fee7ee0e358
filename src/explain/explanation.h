// SPDX-License-Identifier: Apache-2.0
// Explanation: why one scheduling attempt ended as it did, in names and numbers that outlive the attempt.
//
// It is made of the attempt's record, so everybody who explains tells the same.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/document/json_writer.h"
#include "base/time.h"
#include "scheduler/core.h"

namespace berth::explain {

// Nodes that were turned down for the same reasons.
struct Rejection {
  std::string plugin;  // Empty: no plugin is to blame.
  std::string code;    // "Unschedulable", ...; empty: the nodes were not looked at.
  std::vector<std::string> reasons;
  size_t count = 0;
  std::vector<std::string> nodes;  // The first by name; none if the nodes were not looked at one by one.
};

struct NodeScore {
  std::string node;
  int64_t total = 0;
  std::vector<int64_t> by_plugin;  // Weighted, in the order of score_plugins.
};

struct PreemptionOption {
  std::string node;
  std::vector<std::string> victims;  // "namespace/name", most important first.
  size_t pdb_violations = 0;
  int32_t highest_priority = 0;  // Of the victims.
  int64_t priority_sum = 0;
  bool is_chosen = false;
};

// A domain in which a group does not fit.
struct DomainFailure {
  std::string group;  // "namespace/name"
  std::string name;
  std::string message;
  std::map<std::string, std::string> members;  // Why those that were tried do not fit, by "namespace/name".
};

struct Explanation {
  int32_t number = 0;  // Of the pod's attempts, from 1.
  Time began;
  Time decided;
  std::string outcome;  // scheduled, unschedulable or error.
  std::string message;  // Why it was not scheduled, or given up again.
  size_t node_count = 0;
  std::vector<Rejection> rejections;  // Largest group first.
  bool is_nominated_node = false;     // The nominated node fitted, so no other was looked at.
  std::string chosen;                 // Empty: no node.
  size_t feasible_count = 0;
  struct ScorePlugin {
    std::string name;
    int64_t weight = 1;
  };
  std::vector<ScorePlugin> score_plugins;
  std::vector<NodeScore> scores;  // Best first. Empty if there was nothing to choose by score.
  size_t tied_count = 0;          // Nodes with the best score.
  std::vector<std::string> tied;
  std::string preemption;                 // What preemption said; empty if it was not asked.
  std::vector<PreemptionOption> options;  // The chosen one first.
  size_t option_count = 0;

  // Of a member that was tried with its group.
  std::string group;  // "namespace/name" of the root; empty: it was tried alone.
  std::string group_preemption;
  std::vector<DomainFailure> domains;

  // How it came to the attempt.
  std::string woken_by;                     // "NodeAdd", ...
  std::string called_by;                    // The plugin that expected something of it; empty: none.
  size_t declined_events = 0;               // Of which no plugin did.
  std::string last_declined;                // The last of them.
  Duration active, backoff, unschedulable;  // Time in each queue since the attempt before.

  // What became of a pod that got a node.
  std::optional<Time> permitted;
  std::optional<Time> ended;
  bool was_refused = false;
};

// Lists of nodes hold at most `limit` of them. REQUIRES: the record is one of the core's.
Explanation Explain(const scheduler::Core& core, const scheduler::AttemptRecord& record, size_t limit);

// What an attempt said of one node.
struct NodeFinding {
  enum class Verdict : uint8_t { kChosen, kFeasible, kRejected, kNotLookedAt, kUnknown };
  std::string node;
  Verdict verdict = Verdict::kUnknown;  // kUnknown: there is or was no such node.
  std::string plugin, code;             // kRejected.
  std::vector<std::string> reasons;
  std::optional<NodeScore> score;         // If it was kept.
  std::optional<NodeScore> chosen_score;  // The same of the node chosen.
};
std::string_view ToString(NodeFinding::Verdict verdict);
NodeFinding FindNode(const scheduler::Core& core, const scheduler::AttemptRecord& record, const std::string& node);
// The same of all nodes, in the order of their names.
std::vector<NodeFinding> FindNodes(const scheduler::Core& core, const scheduler::AttemptRecord& record);

void WriteExplanation(api::JsonWriter& json, const Explanation& explanation);
void WriteFinding(api::JsonWriter& json, const NodeFinding& finding,
                  const std::vector<Explanation::ScorePlugin>& plugins);

}  // namespace berth::explain
