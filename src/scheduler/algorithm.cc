// SPDX-License-Identifier: Apache-2.0
#include "scheduler/algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <exception>
#include <limits>

#include "base/assert.h"

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

void Wait(Decision& decision) { decision.outcome = Outcome::kWaiting; }

void BlamePlugin(framework::Diagnosis& diagnosis, StatusCode code, std::string_view plugin) {
  if (plugin.empty()) return;
  (code == StatusCode::kPending ? diagnosis.pending_plugins : diagnosis.unschedulable_plugins).emplace(plugin);
}

void BlameVerdicts(const Profile& profile, const Candidates& candidates, framework::Diagnosis& diagnosis) {
  std::bitset<framework::kNoPlugin + 1> unschedulable;
  std::bitset<framework::kNoPlugin + 1> pending;
  candidates.ForEachVerdict([&](const framework::Verdict& verdict, size_t) {
    (verdict.code == StatusCode::kPending ? pending : unschedulable).set(verdict.plugin);
  });
  for (size_t plugin = 0; plugin < profile.plugin_count(); ++plugin) {
    if (unschedulable[plugin]) BlamePlugin(diagnosis, StatusCode::kUnschedulable, profile.plugin(plugin).name());
    if (pending[plugin]) BlamePlugin(diagnosis, StatusCode::kPending, profile.plugin(plugin).name());
  }
}

// Whether the pod's nominated node fits. A rejection is recorded with the candidates' verdicts.
bool TryNominatedNode(const Profile& profile, Cycle& cycle, NodeSlot& node) {
  const std::string& name = cycle.pod().nominated_node_name;
  if (name.empty() || !cycle.nodes().Find(name, node) || !cycle.nodes().has_node[node.index]) return false;
  if (!cycle.MayGoTo(node)) return false;
  const Status status = profile.RunFiltersOnNode(cycle, node);
  if (status.ok()) return true;
  if (!status.is_rejected()) return false;  // An error here is not the pod's: the full search decides.
  const framework::Plugin* plugin = profile.Find(status.plugin);
  Candidates& candidates = cycle.candidates();
  candidates.set_verdict(node,
                         {status.code, plugin == nullptr ? framework::kNoPlugin : static_cast<uint8_t>(plugin->index()),
                          candidates.reasons().Intern(status.reasons)});
  return false;
}

std::vector<NodeSlot> NodesNamed(const std::vector<std::string>& names, const Cycle& cycle) {
  const cluster::NodeTable& nodes = cycle.nodes();
  std::vector<NodeSlot> slots;
  for (const std::string& name : names) {
    NodeSlot slot;
    if (nodes.Find(name, slot) && nodes.has_node[slot.index] && cycle.MayGoTo(slot)) slots.push_back(slot);
  }
  return slots;
}

void Explain(const Profile& profile, Cycle& cycle, Decision& decision) {
  decision.outcome = Outcome::kUnschedulable;
  decision.message = framework::FitErrorMessage(decision.diagnosis);
  if (cycle.is_of_group() || !profile.has_post_filters()) {
    decision.full_message = decision.message;
    decision.clears_nomination = !cycle.is_of_group();
    return;
  }
  decision.post_filter = profile.RunPostFilter(cycle, decision.diagnosis, decision.effects);
  decision.diagnosis.post_filter_message = decision.post_filter->status.message();
  decision.full_message = framework::FitErrorMessageWithPostFilter(decision.diagnosis);
}

}  // namespace

Decision Algorithm::Decide(const Profile& profile, Cycle& cycle, ExtenderDialog* dialog) {
  returned_.Clear(cycle.mutable_cluster());
  Decision decision;
  if (dialog == nullptr) {
    DecideOrFail(profile, cycle, nullptr, decision);
    return decision;
  }
  // An attempt that is made again takes the same way as before.
  const size_t next_start = search_.next_start();
  if (dialog->search_start) search_.set_next_start(*dialog->search_start);
  const bool is_repeated = dialog->search_start.has_value();
  dialog->search_start = search_.next_start();
  ExtenderCalls calls(extenders_, *dialog, returned_, decision);
  DecideOrFail(profile, cycle, &calls, decision);
  if (is_repeated) search_.set_next_start(next_start);
  return decision;
}

Decision Algorithm::DecideInFull(const Profile& profile, Cycle& cycle) {
  may_rank_ = false;
  Decision decision = Decide(profile, cycle);
  may_rank_ = true;
  return decision;
}

void Algorithm::DecideOrFail(const Profile& profile, Cycle& cycle, ExtenderCalls* calls, Decision& decision) {
  try {
    Decide(profile, cycle, calls, decision);
  } catch (const std::exception& thrown) {
    SetError(decision, Status::Error(fmt::format("a plugin threw: {}", thrown.what())));
  }
}

void Algorithm::Decide(const Profile& profile, Cycle& cycle, ExtenderCalls* calls, Decision& decision) {
  if (cycle.order().empty()) {
    decision.outcome = Outcome::kUnschedulable;
    decision.message = decision.full_message = framework::kNoNodesMessage;
    decision.failure = Status::Unresolvable(decision.message);
    decision.clears_nomination = true;
    return;
  }
  FindNodes(profile, cycle, calls, decision);
  if (decision.outcome == Outcome::kWaiting) return;
  if (!decision.failure.ok()) return Reached(framework::Observer::Step::kDecided);
  Reached(framework::Observer::Step::kFiltered);
  if (decision.feasible_count == 0) {
    Reached(framework::Observer::Step::kDecided);
    cycle.set_preemption_review(calls);
    Explain(profile, cycle, decision);
    cycle.set_preemption_review(nullptr);
    if (calls != nullptr && calls->waits()) decision.outcome = Outcome::kWaiting;
  } else {
    Select(profile, cycle, calls, decision);
    if (decision.outcome != Outcome::kWaiting) Reached(framework::Observer::Step::kDecided);
  }
}

void Algorithm::FindNodes(const Profile& profile, Cycle& cycle, ExtenderCalls* calls, Decision& decision) {
  Candidates& candidates = cycle.candidates();
  framework::Diagnosis& diagnosis = decision.diagnosis;
  candidates.Reset({}, cycle.nodes().slot_limit());
  diagnosis.candidates = &candidates;
  diagnosis.node_count = cycle.order().size();

  decision.pre_filter = profile.RunPreFilter(cycle);
  const Status& status = decision.pre_filter.status;
  diagnosis.unschedulable_plugins.insert(decision.pre_filter.narrowing_plugins.begin(),
                                         decision.pre_filter.narrowing_plugins.end());
  if (!status.ok()) {
    if (!status.is_rejected()) return SetError(decision, status);
    diagnosis.absent = status;
    diagnosis.pre_filter_message = status.message();
    BlamePlugin(diagnosis, status.code, status.plugin);
    return;
  }

  NodeSlot nominated;
  if (TryNominatedNode(profile, cycle, nominated)) {
    decision.feasible = {nominated};
    if (calls != nullptr) {
      const Status passed = calls->Filter(cycle, ExtenderDialog::Stage::kNominatedNode, decision.feasible);
      if (passed.code == StatusCode::kWait) return Wait(decision);
      if (!passed.ok()) decision.feasible.clear();  // An error here is not the pod's either.
    }
    decision.nominated_fast_path = !decision.feasible.empty();
    decision.feasible_count = decision.feasible.size();
    if (decision.nominated_fast_path) return;
  }
  decision.is_ranked = calls == nullptr && DecideByRank(profile, cycle, decision);
  if (decision.is_ranked) {
    if (decision.feasible_count == 0) BlameVerdicts(profile, candidates, diagnosis);
    return;
  }
  Search(profile, cycle, decision);
  if (!candidates.error().ok()) return SetError(decision, candidates.error());
  BlameVerdicts(profile, candidates, diagnosis);
  decision.feasible.assign(candidates.nodes().begin(), candidates.nodes().end());
  decision.feasible_count = decision.feasible.size();
  if (calls == nullptr) return;

  Status passed = calls->Filter(cycle, ExtenderDialog::Stage::kFilter, decision.feasible);
  if (passed.code == StatusCode::kWait) return Wait(decision);
  if (!passed.ok()) return SetError(decision, std::move(passed));
  if (decision.feasible.size() != decision.feasible_count) diagnosis.unschedulable_plugins.emplace(kExtenderPlugin);
  decision.feasible_count = decision.feasible.size();
}

bool Algorithm::DecideByRank(const Profile& profile, Cycle& cycle, Decision& decision) {
  if (!may_rank_ || decision.pre_filter.node_names || cycle.is_of_group() || !search_.LooksAtAll(profile)) return false;
  if (!ranked_.Decide(profile, cycle, decision)) return false;
  if (checks_) CheckRank(profile, cycle, decision);
  return true;
}

void Algorithm::CheckRank(const Profile& profile, Cycle& cycle, const Decision& ranked) {
  const Candidates before = cycle.candidates();
  search_.Run(profile, cycle, cycle.order());
  const Candidates& candidates = cycle.candidates();
  BERTH_ASSERT(candidates.error().ok());
  BERTH_ASSERT(candidates.nodes().size() == ranked.feasible_count);
  if (ranked.feasible_count == 0) {
    for (const NodeSlot slot : cycle.order()) {
      const framework::Verdict& expected = candidates.verdict(slot);
      const framework::Verdict& got = before.verdict(slot);
      BERTH_ASSERT(got.code == expected.code && got.plugin == expected.plugin);
      BERTH_ASSERT(before.reasons().reasons(got.reason) == candidates.reasons().reasons(expected.reason));
    }
    return;
  }
  Decision full;
  full.feasible.assign(candidates.nodes().begin(), candidates.nodes().end());
  full.feasible_count = full.feasible.size();
  Select(profile, cycle, nullptr, full);
  BERTH_ASSERT(full.outcome == Outcome::kScheduled);
  BERTH_ASSERT(full.tied_count == ranked.tied_count);
  BERTH_ASSERT(full.node == ranked.node);
}

void Algorithm::Search(const Profile& profile, Cycle& cycle, Decision& decision) {
  if (!decision.pre_filter.node_names) return search_.Run(profile, cycle, cycle.order());
  framework::Diagnosis& diagnosis = decision.diagnosis;
  // Upstream also names the plugin that has just rejected the nominated node.
  BlameVerdicts(profile, cycle.candidates(), diagnosis);
  diagnosis.absent = Status::Unresolvable(
      fmt::format("node(s) didn't satisfy plugin(s) [{}]", fmt::join(diagnosis.unschedulable_plugins, " ")));
  search_.Run(profile, cycle, NodesNamed(*decision.pre_filter.node_names, cycle));
}

void Algorithm::Select(const Profile& profile, Cycle& cycle, ExtenderCalls* calls, Decision& decision) {
  if (decision.is_ranked) {
    decision.outcome = Outcome::kScheduled;
    return Reached(framework::Observer::Step::kScored);
  }
  if (decision.feasible.size() == 1 || (!profile.has_scores() && calls == nullptr)) {
    decision.best = decision.feasible;
  } else {
    Status status = profile.RunScores(cycle, decision.feasible, board_);
    std::vector<uint8_t> has_entry;
    if (status.ok() && calls != nullptr) {
      status = calls->Prioritize(cycle, decision.feasible, board_.totals, has_entry);
      if (status.code == StatusCode::kWait) return Wait(decision);
    }
    if (!status.ok()) return SetError(decision, std::move(status));
    decision.scores = &board_;
    Reached(framework::Observer::Step::kScored);
    Pick(has_entry, decision);
  }
  decision.outcome = Outcome::kScheduled;
  decision.tied_count = decision.best.size();
  decision.node = cycle.chooser().ChooseBest(profile, cycle, decision.best);
}

void Algorithm::Pick(std::span<const uint8_t> has_entry, Decision& decision) const {
  // Of equal nodes, those that an extender gave an entry go first.
  int64_t highest = std::numeric_limits<int64_t>::min();
  bool highest_has_entry = false;
  for (size_t i = 0; i < board_.totals.size(); ++i) {
    const int64_t total = board_.totals[i];
    const bool entry = !has_entry.empty() && has_entry[i] != 0;
    if (total < highest || (total == highest && !entry && highest_has_entry)) continue;
    if (total > highest || entry != highest_has_entry) decision.best.clear();
    highest = total;
    highest_has_entry = entry;
    decision.best.push_back(decision.feasible[i]);
  }
}

}  // namespace berth::scheduler
