// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace berth::explain {
namespace {

using cluster::NodeSlot;
using scheduler::AttemptRecord;
using scheduler::Core;
using scheduler::RecordedRejection;

// What a record calls its nodes and plugins.
class Names {
 public:
  Names(const Core& core, const AttemptRecord& record) : core_(core), record_(record) {}

  // Empty if it has gone.
  std::string Node(NodeSlot slot) const {
    return std::string(core_.records().NameOf(record_, slot, core_.cluster().nodes()));
  }
  std::string Plugin(const std::optional<queue::PluginId>& plugin) const {
    return plugin ? std::string(core_.records().PluginName(*plugin)) : "";
  }
  // The smallest `limit` names, sorted.
  std::vector<std::string> First(const scheduler::NodeSet& nodes, size_t limit) const {
    std::vector<std::string> names;
    nodes.ForEach([&](NodeSlot slot) {
      std::string name = Node(slot);
      if (!name.empty()) names.push_back(std::move(name));
    });
    const size_t shown = std::min(limit, names.size());
    std::ranges::partial_sort(names, names.begin() + static_cast<std::ptrdiff_t>(shown));
    names.resize(shown);
    return names;
  }

 private:
  const Core& core_;
  const AttemptRecord& record_;
};

Rejection RejectionOf(const RecordedRejection& recorded, const Names& names, size_t limit) {
  return {.plugin = names.Plugin(recorded.plugin),
          .code = std::string(framework::ToString(recorded.code)),
          .reasons = recorded.reasons,
          .count = recorded.nodes.size(),
          .nodes = names.First(recorded.nodes, limit)};
}

void AddRejections(const AttemptRecord& record, const Names& names, size_t limit, Explanation& explanation) {
  if (record.is_nominated_node || record.group != nullptr) return;
  std::vector<Rejection>& rejections = explanation.rejections;
  size_t looked_at = record.feasible_count;
  if (record.verdicts != nullptr) {
    for (const RecordedRejection& recorded : record.verdicts->rejections) {
      rejections.push_back(RejectionOf(recorded, names, limit));
      looked_at += rejections.back().count;
    }
  }
  if (looked_at < record.node_count) {
    const bool is_said = record.verdicts != nullptr && record.verdicts->absent;
    Rejection rejection = is_said ? RejectionOf(*record.verdicts->absent, names, limit) : Rejection{};
    rejection.count = record.node_count - looked_at;
    rejections.push_back(std::move(rejection));
  }
  std::ranges::sort(rejections, [](const Rejection& a, const Rejection& b) {
    return std::tie(b.count, a.plugin, a.reasons) < std::tie(a.count, b.plugin, b.reasons);
  });
}

NodeScore ScoreOf(const AttemptRecord& record, size_t row, const Names& names) {
  const size_t width = record.score_plugins->size();
  const auto begin = record.plugin_scores.begin() + static_cast<std::ptrdiff_t>(row * width);
  return {names.Node(record.scores[row].node),
          record.scores[row].total,
          {begin, begin + static_cast<std::ptrdiff_t>(width)}};
}

void AddScores(const AttemptRecord& record, const Names& names, size_t limit, Explanation& explanation) {
  if (explanation.tied_count > 0 && record.node) explanation.tied.push_back(explanation.chosen);
  if (record.score_plugins == nullptr) return;
  for (const scheduler::RecordedScorePlugin& plugin : *record.score_plugins) {
    explanation.score_plugins.push_back({names.Plugin(plugin.plugin), plugin.weight});
  }
  for (size_t row = 0; row < record.scores.size(); ++row) explanation.scores.push_back(ScoreOf(record, row, names));
  // The chosen node first among equals, of which it is one.
  if (!explanation.scores.empty()) {
    std::ranges::sort(explanation.scores.begin() + 1, explanation.scores.end(), {},
                      [](const NodeScore& score) { return std::pair(-score.total, score.node); });
  }
  for (size_t i = 1; i < explanation.scores.size(); ++i) {
    const NodeScore& score = explanation.scores[i];
    if (score.total == explanation.scores[0].total && explanation.tied.size() < explanation.tied_count) {
      explanation.tied.push_back(score.node);
    }
  }
  std::ranges::sort(explanation.tied);
  if (explanation.tied.size() > limit) explanation.tied.resize(limit);
  if (explanation.scores.size() > limit) explanation.scores.resize(limit);
}

void AddPreemption(const AttemptRecord& record, const Names& names, size_t limit, Explanation& explanation) {
  if (record.preemption == nullptr) return;
  explanation.preemption = record.preemption->message;
  explanation.option_count = record.preemption->option_count;
  for (size_t i = 0; i < std::min(limit, record.preemption->options.size()); ++i) {
    const scheduler::RecordedPreemption::Option& option = record.preemption->options[i];
    explanation.options.push_back({.node = names.Node(option.node),
                                   .victims = option.victims,
                                   .pdb_violations = static_cast<size_t>(option.pdb_violations),
                                   .highest_priority = option.highest_priority,
                                   .priority_sum = option.priority_sum,
                                   .is_chosen = i == 0 && record.preemption->has_chosen});
  }
}

std::string GroupName(const cluster::GroupKey& key) { return key.ns + "/" + key.name; }

void AddGroup(const AttemptRecord& record, Explanation& explanation) {
  if (record.group == nullptr) return;
  explanation.group = GroupName(record.group->root);
  explanation.group_preemption = record.group->preemption;
  for (const scheduler::FailedDomain& domain : record.group->domains) {
    explanation.domains.push_back({GroupName(domain.group), domain.name, domain.message, domain.members});
  }
}

void AddTrail(const AttemptRecord& record, const Names& names, Explanation& explanation) {
  const queue::QueueTrail& trail = record.trail;
  const auto waited = [&](queue::QueueTrail::Queue queue) { return trail.waited[static_cast<size_t>(queue)]; };
  explanation.woken_by = framework::Label(trail.cause);
  explanation.called_by = names.Plugin(trail.called_by);
  explanation.declined_events = trail.declined_count;
  if (trail.declined_count > 0) explanation.last_declined = framework::Label(trail.last_declined);
  explanation.active = waited(queue::QueueTrail::Queue::kActive);
  explanation.backoff = waited(queue::QueueTrail::Queue::kBackoff);
  explanation.unschedulable = waited(queue::QueueTrail::Queue::kUnschedulable);
}

std::string_view OutcomeName(scheduler::Outcome outcome) {
  switch (outcome) {
    case scheduler::Outcome::kScheduled: return "scheduled";
    case scheduler::Outcome::kUnschedulable: return "unschedulable";
    case scheduler::Outcome::kError:
    case scheduler::Outcome::kWaiting: return "error";
  }
  return "error";
}

std::optional<NodeScore> FindScore(const AttemptRecord& record, NodeSlot slot, const Names& names) {
  const auto found = std::ranges::find(record.scores, slot, [](const auto& score) { return score.node; });
  if (found == record.scores.end()) return std::nullopt;
  return ScoreOf(record, static_cast<size_t>(found - record.scores.begin()), names);
}

NodeFinding FindSlot(const AttemptRecord& record, NodeSlot slot, std::string node, const Names& names) {
  using Verdict = NodeFinding::Verdict;
  NodeFinding finding;
  finding.node = std::move(node);
  finding.verdict = Verdict::kNotLookedAt;
  const auto reject = [&](const RecordedRejection& rejection) {
    finding.verdict = Verdict::kRejected;
    finding.plugin = names.Plugin(rejection.plugin);
    finding.code = framework::ToString(rejection.code);
    finding.reasons = rejection.reasons;
  };
  if (record.verdicts != nullptr) {
    for (const RecordedRejection& rejection : record.verdicts->rejections) {
      if (rejection.nodes.Contains(slot)) reject(rejection);
    }
  }
  finding.score = FindScore(record, slot, names);
  if (finding.verdict == Verdict::kRejected) return finding;
  size_t looked_at = record.feasible_count;
  if (record.verdicts != nullptr) {
    for (const RecordedRejection& rejection : record.verdicts->rejections) looked_at += rejection.nodes.size();
  }
  if (record.node == slot) {
    finding.verdict = Verdict::kChosen;
  } else if (finding.score || (looked_at >= record.node_count && !record.is_nominated_node)) {
    finding.verdict = Verdict::kFeasible;
  } else if (record.verdicts != nullptr && record.verdicts->absent) {
    reject(*record.verdicts->absent);
  }
  return finding;
}

}  // namespace

Explanation Explain(const Core& core, const AttemptRecord& record, size_t limit) {
  const Names names(core, record);
  Explanation explanation;
  explanation.number = record.number;
  explanation.began = record.began;
  explanation.decided = record.decided;
  explanation.outcome = OutcomeName(record.outcome);
  if (record.message != nullptr) explanation.message = *record.message;
  explanation.node_count = record.node_count;
  explanation.is_nominated_node = record.is_nominated_node;
  explanation.feasible_count = record.feasible_count;
  explanation.tied_count = record.tied_count;
  if (record.node) explanation.chosen = names.Node(*record.node);
  AddRejections(record, names, limit, explanation);
  AddScores(record, names, limit, explanation);
  AddPreemption(record, names, limit, explanation);
  AddGroup(record, explanation);
  AddTrail(record, names, explanation);
  explanation.permitted = record.permitted;
  explanation.ended = record.ended;
  explanation.was_refused = record.was_refused;
  return explanation;
}

std::string_view ToString(NodeFinding::Verdict verdict) {
  switch (verdict) {
    case NodeFinding::Verdict::kChosen: return "chosen";
    case NodeFinding::Verdict::kFeasible: return "feasible";
    case NodeFinding::Verdict::kRejected: return "rejected";
    case NodeFinding::Verdict::kNotLookedAt: return "notLookedAt";
    case NodeFinding::Verdict::kUnknown: return "unknown";
  }
  return "unknown";
}

NodeFinding FindNode(const Core& core, const AttemptRecord& record, const std::string& node) {
  const Names names(core, record);
  NodeSlot slot;
  NodeFinding finding;
  finding.node = node;
  const bool is_known = core.cluster().nodes().Find(node, slot) && names.Node(slot) == node;
  if (!is_known) return finding;
  finding = FindSlot(record, slot, node, names);
  if (record.node) finding.chosen_score = FindScore(record, *record.node, names);
  return finding;
}

std::vector<NodeFinding> FindNodes(const Core& core, const AttemptRecord& record) {
  const Names names(core, record);
  // Findings are large, so their names are sorted before them.
  std::vector<std::pair<std::string, NodeSlot>> known;
  const cluster::NodeTable& nodes = core.cluster().nodes();
  for (uint32_t i = 0; i < nodes.slot_limit(); ++i) {
    if (nodes.has_node[i] == 0) continue;
    if (std::string name = names.Node({i}); !name.empty()) known.emplace_back(std::move(name), NodeSlot{i});
  }
  std::ranges::sort(known, {}, [](const auto& node) -> const std::string& { return node.first; });
  std::vector<NodeFinding> findings;
  findings.reserve(known.size());
  for (auto& [name, slot] : known) findings.push_back(FindSlot(record, slot, std::move(name), names));
  return findings;
}

}  // namespace berth::explain
