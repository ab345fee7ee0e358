// SPDX-License-Identifier: Apache-2.0
#include "scheduler/algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <exception>
#include <limits>

namespace berth::scheduler {
namespace {

using framework::Candidates;
using framework::Cycle;
using framework::Profile;
using framework::Status;
using framework::StatusCode;

void SetError(Decision& decision, Status status) {
  decision.outcome = Outcome::kError;
  decision.message = decision.full_message = status.message();
  decision.failure = std::move(status);
  decision.clears_nomination = true;
}

void BlamePlugin(framework::Diagnosis& diagnosis, StatusCode code, std::string_view plugin) {
  if (plugin.empty()) return;
  (code == StatusCode::kPending ? diagnosis.pending_plugins : diagnosis.unschedulable_plugins).emplace(plugin);
}

void BlameVerdicts(const Profile& profile, const Candidates& candidates, framework::Diagnosis& diagnosis) {
  std::bitset<framework::kNoPlugin + 1> unschedulable;
  std::bitset<framework::kNoPlugin + 1> pending;
  for (const NodeSlot slot : candidates.rejected()) {
    const framework::Verdict& verdict = candidates.verdict(slot);
    (verdict.code == StatusCode::kPending ? pending : unschedulable).set(verdict.plugin);
  }
  for (size_t plugin = 0; plugin < profile.plugin_count(); ++plugin) {
    if (unschedulable[plugin]) BlamePlugin(diagnosis, StatusCode::kUnschedulable, profile.plugin(plugin).name());
    if (pending[plugin]) BlamePlugin(diagnosis, StatusCode::kPending, profile.plugin(plugin).name());
  }
}

// Whether the pod's nominated node fits. A rejection is recorded with the candidates' verdicts.
bool TryNominatedNode(const Profile& profile, Cycle& cycle, NodeSlot& node) {
  const std::string& name = cycle.pod().nominated_node_name;
  if (name.empty() || !cycle.nodes().Find(name, node) || !cycle.nodes().has_node[node.index]) return false;
  const Status status = profile.RunFiltersOnNode(cycle, node);
  if (status.ok()) return true;
  if (!status.is_rejected()) return false;  // An error here is not the pod's: the full search decides.
  const framework::Plugin* plugin = profile.Find(status.plugin);
  Candidates& candidates = cycle.candidates();
  candidates.set_verdict(node, {status.code, plugin == nullptr ? framework::kNoPlugin : static_cast<uint8_t>(plugin->index()),
                                candidates.reasons().Intern(status.reasons)});
  return false;
}

std::vector<NodeSlot> NodesNamed(const std::vector<std::string>& names, const cluster::NodeTable& nodes) {
  std::vector<NodeSlot> slots;
  for (const std::string& name : names) {
    NodeSlot slot;
    if (nodes.Find(name, slot) && nodes.has_node[slot.index]) slots.push_back(slot);
  }
  return slots;
}

void Explain(const Profile& profile, Cycle& cycle, Decision& decision) {
  decision.outcome = Outcome::kUnschedulable;
  decision.message = framework::FitErrorMessage(decision.diagnosis);
  if (!profile.has_post_filters()) {
    decision.full_message = decision.message;
    decision.clears_nomination = true;
    return;
  }
  decision.post_filter = profile.RunPostFilter(cycle, decision.diagnosis, decision.effects);
  decision.diagnosis.post_filter_message = decision.post_filter->status.message();
  decision.full_message = framework::FitErrorMessageWithPostFilter(decision.diagnosis);
}

}  // namespace

Decision Algorithm::Decide(const Profile& profile, Cycle& cycle) {
  Decision decision;
  try {
    if (cycle.cluster().order().empty()) {
      decision.outcome = Outcome::kUnschedulable;
      decision.message = decision.full_message = "no nodes available to schedule pods";
      decision.failure = Status::Unresolvable(decision.message);
      decision.clears_nomination = true;
      return decision;
    }
    FindNodes(profile, cycle, decision);
    if (!decision.failure.ok()) return Reached(framework::Observer::Step::kDecided), decision;
    Reached(framework::Observer::Step::kFiltered);
    if (decision.feasible.empty()) {
      Reached(framework::Observer::Step::kDecided);
      Explain(profile, cycle, decision);
    } else {
      Select(profile, cycle, decision);
      Reached(framework::Observer::Step::kDecided);
    }
  } catch (const std::exception& thrown) {
    SetError(decision, Status::Error(fmt::format("a plugin threw: {}", thrown.what())));
  }
  return decision;
}

void Algorithm::FindNodes(const Profile& profile, Cycle& cycle, Decision& decision) {
  Candidates& candidates = cycle.candidates();
  framework::Diagnosis& diagnosis = decision.diagnosis;
  candidates.Reset({}, cycle.nodes().slot_limit());
  diagnosis.candidates = &candidates;
  diagnosis.node_count = cycle.cluster().order().size();

  decision.pre_filter = profile.RunPreFilter(cycle);
  const Status& status = decision.pre_filter.status;
  diagnosis.unschedulable_plugins.insert(decision.pre_filter.narrowing_plugins.begin(), decision.pre_filter.narrowing_plugins.end());
  if (!status.ok()) {
    if (!status.is_rejected()) return SetError(decision, status);
    diagnosis.absent = status;
    diagnosis.pre_filter_message = status.message();
    BlamePlugin(diagnosis, status.code, status.plugin);
    return;
  }

  NodeSlot nominated;
  if (TryNominatedNode(profile, cycle, nominated)) {
    decision.nominated_fast_path = true;
    decision.feasible = {nominated};
    return;
  }
  if (decision.pre_filter.node_names) {
    // Upstream also names the plugin that has just rejected the nominated node.
    BlameVerdicts(profile, candidates, diagnosis);
    diagnosis.absent = Status::Unresolvable(
        fmt::format("node(s) didn't satisfy plugin(s) [{}]", fmt::join(diagnosis.unschedulable_plugins, " ")));
    search_.Run(profile, cycle, NodesNamed(*decision.pre_filter.node_names, cycle.nodes()));
  } else {
    search_.Run(profile, cycle, cycle.cluster().order());
  }
  if (!candidates.error().ok()) return SetError(decision, candidates.error());
  BlameVerdicts(profile, candidates, diagnosis);
  decision.feasible.assign(candidates.nodes().begin(), candidates.nodes().end());
}

void Algorithm::Select(const Profile& profile, Cycle& cycle, Decision& decision) {
  if (decision.feasible.size() == 1 || !profile.has_scores()) {
    decision.best = decision.feasible;
  } else {
    Status status = profile.RunScores(cycle, decision.feasible, board_);
    if (!status.ok()) return SetError(decision, std::move(status));
    decision.scores = &board_;
    Reached(framework::Observer::Step::kScored);
    int64_t highest = std::numeric_limits<int64_t>::min();
    for (size_t i = 0; i < board_.totals.size(); ++i) {
      if (board_.totals[i] < highest) continue;
      if (board_.totals[i] > highest) decision.best.clear();
      highest = board_.totals[i];
      decision.best.push_back(decision.feasible[i]);
    }
  }
  decision.outcome = Outcome::kScheduled;
  decision.node = decision.best[cycle.chooser().Choose(decision.best, cycle.nodes())];
}

}  // namespace berth::scheduler
