// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/candidate_search.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error_counts.h"
#include "plugins/default_preemption/dry_run.h"
#include "plugins/default_preemption/room_trials.h"

namespace berth::plugins {
namespace {

constexpr std::string_view kNotHelpful = "Preemption is not helpful for scheduling";

std::vector<cluster::NodeSlot> PotentialNodes(const framework::Cycle& cycle, const framework::Diagnosis& diagnosis) {
  std::vector<cluster::NodeSlot> nodes;
  std::ranges::copy_if(cycle.cluster().order(), std::back_inserter(nodes), [&](cluster::NodeSlot node) {
    return diagnosis.CodeOf(node) == framework::StatusCode::kUnschedulable;
  });
  return nodes;
}

// 0 is possible: a small share of few nodes and no absolute minimum. Then nothing is ever preempted.
size_t WantedCandidates(size_t nodes, const DefaultPreemption::Args& args) {
  const size_t share = nodes * static_cast<size_t>(args.min_candidate_nodes_percentage) / 100;
  return std::min(std::max(share, static_cast<size_t>(args.min_candidate_nodes_absolute)), nodes);
}

// Whether no pod on a node can be a victim. Groups have priorities of their own.
bool NobodyIsBelow(const framework::Cycle& cycle) {
  const cluster::Cluster& cluster = cycle.cluster();
  if (cluster.groups.enabled() && cluster.groups.size() > 0) return false;
  const auto& priorities = cluster.pod_priorities();
  return priorities.empty() || priorities.begin()->first >= cycle.pod().priority();
}

}  // namespace

CandidateSearch FindCandidates(const framework::Profile& profile, framework::Cycle& cycle,
                               const framework::Diagnosis& diagnosis, const DefaultPreemption::Args& args,
                               KeptPods& kept) {
  const std::vector<cluster::NodeSlot> nodes = PotentialNodes(cycle, diagnosis);
  const size_t wanted = WantedCandidates(nodes.size(), args);
  const size_t offset = nodes.empty() ? 0 : cycle.chooser().Offset(cycle, nodes.size());
  DisruptionBudgets budgets(cycle.cluster().objects.pod_disruption_budgets);

  CandidateSearch search;
  std::vector<framework::PreemptionCandidate> violating;
  std::vector<std::string> errors;
  const size_t node_count = cycle.cluster().order().size();
  framework::FitMessage message(node_count);
  size_t failed = 0;
  if (NobodyIsBelow(cycle)) {
    message.Add(std::vector<std::string>{std::string(kNoVictims)}, nodes.size());
    message.Add(std::vector<std::string>{std::string(kNotHelpful)}, node_count - nodes.size());
    search.fit_message = message.ToString();
    return search;
  }
  RoomTrials trials(profile, cycle, nodes, budgets, kept);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const cluster::NodeSlot node = nodes[(offset + i) % nodes.size()];
    std::optional<RoomTrials::Outcome> outcome = trials.Try(node, violating.size() < wanted);
    RoomTrials::Outcome candidate = outcome ? *std::move(outcome) : DryRunOnNode(profile, cycle, node, budgets);
    if (!candidate) {
      if (candidate.error().code == framework::StatusCode::kError) errors.push_back(candidate.error().message());
      message.Add(candidate.error().reasons);
      ++failed;
      continue;
    }
    std::vector<framework::PreemptionCandidate>& list = candidate->pdb_violations == 0 ? search.candidates : violating;
    if (list.size() < wanted) list.push_back(*std::move(candidate));
    if (!search.candidates.empty() && search.candidates.size() + violating.size() >= wanted) break;
  }
  std::ranges::move(violating, std::back_inserter(search.candidates));
  message.Add(std::vector<std::string>{std::string(kNotHelpful)}, node_count - failed);
  search.fit_message = message.ToString();
  search.error = JoinErrors(errors);
  return search;
}

}  // namespace berth::plugins
