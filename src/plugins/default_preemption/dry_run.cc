// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "plugins/default_preemption/victim_units.h"

namespace berth::plugins {
namespace {

using framework::Status;

cluster::NodeSlot NodeOf(const cluster::PodInfo& pod, const framework::Cycle& cycle) {
  cluster::NodeSlot node;
  cycle.nodes().Find(pod.node_name, node);  // Units are made of pods on nodes.
  return node;
}

// All pods of the unit, also those on other nodes.
Status Remove(const VictimUnit& unit, const framework::Cycle& cycle, framework::NodeTrial& trial) {
  for (const cluster::PodPtr& pod : unit.pods) {
    Status status = trial.Remove(pod, NodeOf(*pod, cycle));
    if (!status.ok()) return status;
  }
  return Status::Success();
}

// Puts the unit back if the pod of the cycle still fits then. Sets `is_victim` if it does not.
Status Reprieve(const framework::Profile& profile, framework::Cycle& cycle, cluster::NodeSlot node,
                framework::NodeTrial& trial, const VictimUnit& unit, bool& is_victim) {
  for (const cluster::PodPtr& pod : unit.pods) {
    Status status = trial.Add(pod, NodeOf(*pod, cycle));
    if (!status.ok()) return status;
  }
  is_victim = !profile.RunFiltersOnNode(cycle, node).ok();
  return is_victim ? Remove(unit, cycle, trial) : Status::Success();
}

}  // namespace

std::expected<framework::PreemptionCandidate, Status> DryRunOnNode(const framework::Profile& profile,
                                                                   framework::Cycle& cycle, cluster::NodeSlot node,
                                                                   DisruptionBudgets& budgets) {
  Result<std::vector<VictimUnit>> units = UnitsBelow(cycle.pod().priority(), std::span(&node, 1), cycle.cluster());
  if (!units) return std::unexpected(Status::Error(units.error().message));
  if (units->empty()) return std::unexpected(Status::Unresolvable(std::string(kNoVictims)));

  framework::NodeTrial trial(profile, cycle, node);
  for (const VictimUnit& unit : *units) {
    Status removed = Remove(unit, cycle, trial);
    if (!removed.ok()) return std::unexpected(std::move(removed));
  }
  Status fits = profile.RunFiltersOnNode(cycle, node);
  if (!fits.ok()) return std::unexpected(std::move(fits));

  // Stable, so that units equal in importance are taken in their order on the node.
  std::ranges::stable_sort(*units, MoreImportant);
  const std::vector<int64_t> overdrawn = Overdrawn(*units, budgets);
  framework::PreemptionCandidate candidate{.node = node, .victims = {}};
  std::vector<VictimUnit> victims;
  for (const bool is_protected : {true, false}) {
    for (size_t i = 0; i < units->size(); ++i) {
      if ((overdrawn[i] != 0) != is_protected) continue;
      bool is_victim = false;
      Status tried = Reprieve(profile, cycle, node, trial, (*units)[i], is_victim);
      if (!tried.ok()) return std::unexpected(std::move(tried));
      if (!is_victim) continue;
      victims.push_back((*units)[i]);
      candidate.pdb_violations += overdrawn[i];
    }
  }
  if (victims.empty()) {
    return std::unexpected(
        Status::Error(fmt::format("expected at least one victim pod on node \"{}\"", cycle.nodes().name[node.index])));
  }
  std::ranges::stable_sort(victims, MoreImportant);
  for (const VictimUnit& unit : victims) {
    candidate.victims.insert(candidate.victims.end(), unit.pods.begin(), unit.pods.end());
  }
  return candidate;
}

}  // namespace berth::plugins
