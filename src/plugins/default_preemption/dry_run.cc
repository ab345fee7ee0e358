// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::plugins {
namespace {

using framework::Status;

bool MoreImportant(const cluster::PodPtr& a, const cluster::PodPtr& b) {
  if (a->priority() != b->priority()) return a->priority() > b->priority();
  return framework::StartTime(*a) < framework::StartTime(*b);
}

std::vector<cluster::PodPtr> PodsBelow(int32_t priority, const std::vector<cluster::PodPtr>& pods) {
  std::vector<cluster::PodPtr> below;
  std::ranges::copy_if(pods, std::back_inserter(below), [&](const auto& pod) { return pod->priority() < priority; });
  return below;
}

// Puts `pod` back if the pod of the cycle still fits then. Sets `is_victim` if it does not.
Status Reprieve(const framework::Profile& profile, framework::Cycle& cycle, cluster::NodeSlot node,
                framework::NodeTrial& trial, const cluster::PodPtr& pod, bool& is_victim) {
  Status status = trial.Add(pod);
  if (!status.ok()) return status;
  is_victim = !profile.RunFiltersOnNode(cycle, node).ok();
  return is_victim ? trial.Remove(pod) : Status::Success();
}

}  // namespace

std::expected<framework::PreemptionCandidate, Status> DryRunOnNode(const framework::Profile& profile, framework::Cycle& cycle,
                                                        cluster::NodeSlot node, DisruptionBudgets& budgets) {
  std::vector<cluster::PodPtr> evictable = PodsBelow(cycle.pod().priority(), cycle.nodes().pods[node.index].pods);
  if (evictable.empty()) return std::unexpected(Status::Unresolvable("No preemption victims found for incoming pod"));

  framework::NodeTrial trial(profile, cycle, node);
  for (const cluster::PodPtr& pod : evictable) {
    Status removed = trial.Remove(pod);
    if (!removed.ok()) return std::unexpected(std::move(removed));
  }
  Status fits = profile.RunFiltersOnNode(cycle, node);
  if (!fits.ok()) return std::unexpected(std::move(fits));

  // Stable, so that pods equal in importance are taken in their order on the node.
  std::ranges::stable_sort(evictable, MoreImportant);
  const std::vector<uint8_t> overdrawn = budgets.Overdrawn(evictable);
  framework::PreemptionCandidate candidate{.node = node, .victims = {}};
  for (const bool is_protected : {true, false}) {
    for (size_t i = 0; i < evictable.size(); ++i) {
      if ((overdrawn[i] != 0) != is_protected) continue;
      bool is_victim = false;
      Status tried = Reprieve(profile, cycle, node, trial, evictable[i], is_victim);
      if (!tried.ok()) return std::unexpected(std::move(tried));
      if (!is_victim) continue;
      candidate.victims.push_back(evictable[i]);
      if (is_protected) ++candidate.pdb_violations;
    }
  }
  if (candidate.victims.empty()) {
    return std::unexpected(
        Status::Error(fmt::format("expected at least one victim pod on node \"{}\"", cycle.nodes().name[node.index])));
  }
  std::ranges::stable_sort(candidate.victims, MoreImportant);
  return candidate;
}

}  // namespace berth::plugins
