// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/room_trials.h"

#include <algorithm>

#include "plugins/default_preemption/dry_run.h"

namespace berth::plugins {
namespace {

using cluster::PodInfo;
using framework::MissingRoom;
using framework::Status;

// What the pod takes up.
int64_t AmountOf(const PodInfo& pod, const MissingRoom& missing) {
  const cluster::Resources& requests = pod.requests();
  switch (missing.of) {
    case MissingRoom::Of::kPods: return 1;
    case MissingRoom::Of::kCpu: return requests.cpu_milli;
    case MissingRoom::Of::kMemory: return requests.memory_bytes;
    case MissingRoom::Of::kEphemeralStorage: return requests.ephemeral_bytes;
    case MissingRoom::Of::kScalar: return requests.scalar(missing.scalar);
  }
  return 0;
}

}  // namespace

RoomTrials::RoomTrials(const framework::Profile& profile, framework::Cycle& cycle,
                       std::span<const cluster::NodeSlot> nodes, DisruptionBudgets& budgets)
    : cycle_(cycle), budgets_(budgets), room_(profile.RoomFilter(cycle)) {
  if (room_ == nullptr) return;
  framework::Candidates& candidates = cycle.scratch();
  candidates.Reset(nodes, cycle.nodes().slot_limit());
  profile.RunFiltersWithoutPods(cycle, candidates);
  passes_.resize(cycle.nodes().slot_limit());
  if (!candidates.error().ok()) return;
  for (const cluster::NodeSlot node : candidates.nodes()) passes_[node.index] = 1;
  for (const auto& [name, pods] : cycle.cluster().nominated.by_node()) {
    cluster::NodeSlot node;
    if (cycle.nodes().Find(name, node)) passes_[node.index] = 0;
  }
}

std::optional<RoomTrials::Outcome> RoomTrials::Try(cluster::NodeSlot node) {
  if (room_ == nullptr || passes_[node.index] == 0) return std::nullopt;
  missing_.clear();
  if (!FindVictims(node) || !room_->FindMissing(cycle_, node, missing_)) return std::nullopt;
  if (victims_.empty()) {
    return std::unexpected(Status::Unresolvable(std::string(kNoVictims)));
  }
  if (!std::ranges::all_of(victims_, [&](const Victim& victim) { return Remove(**victim.pod); })) return std::nullopt;
  if (!Fits()) return std::unexpected(WhyNot());
  framework::PreemptionCandidate candidate = MakeCandidate(node);
  // It fits as it is: that is for others to report.
  if (candidate.victims.empty()) return std::nullopt;
  return candidate;
}

bool RoomTrials::FindVictims(cluster::NodeSlot node) {
  const cluster::PodGroups& groups = cycle_.cluster().groups;
  const int32_t priority = cycle_.pod().priority();
  victims_.clear();
  for (const cluster::PodPtr& pod : cycle_.nodes().pods[node.index].pods) {
    if (groups.IsMember(*pod)) return false;
    if (pod->priority() >= priority) continue;
    victims_.push_back({.pod = &pod, .priority = pod->priority(), .start = framework::StartTime(*pod)});
  }
  return true;
}

bool RoomTrials::Remove(const PodInfo& pod) {
  constexpr int64_t kLarge = int64_t{1} << 50;
  for (MissingRoom& missing : missing_) {
    const int64_t amount = AmountOf(pod, missing);
    if (amount < 0 || amount > kLarge) return false;
    missing.amount -= amount;
  }
  return true;
}

void RoomTrials::Add(const PodInfo& pod) {
  for (MissingRoom& missing : missing_) missing.amount += AmountOf(pod, missing);
}

bool RoomTrials::Fits() const {
  return std::ranges::all_of(missing_, [](const MissingRoom& missing) { return missing.amount <= 0; });
}

bool RoomTrials::FitsWith(const PodInfo& pod) const {
  return std::ranges::all_of(missing_,
                             [&](const MissingRoom& missing) { return missing.amount + AmountOf(pod, missing) <= 0; });
}

Status RoomTrials::WhyNot() const {
  Status status = Status::Unschedulable("");
  status.reasons.clear();
  for (const MissingRoom& missing : missing_) {
    if (missing.amount <= 0) continue;
    status.reasons.emplace_back(missing.reason).append(missing.name);
  }
  return status;
}

framework::PreemptionCandidate RoomTrials::MakeCandidate(cluster::NodeSlot node) {
  const auto is_more_important = [](const Victim& a, const Victim& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.start < b.start;
  };
  // Stable, so that pods equal in importance are taken in their order on the node.
  std::ranges::stable_sort(victims_, is_more_important);
  std::vector<uint8_t> overdrawn(victims_.size());
  if (!budgets_.empty()) {
    std::vector<cluster::PodPtr> pods;
    for (const Victim& victim : victims_) pods.push_back(*victim.pod);
    overdrawn = budgets_.Overdrawn(pods);
  }
  framework::PreemptionCandidate candidate{.node = node, .victims = {}};
  std::vector<Victim> leaving;
  for (const uint8_t is_protected : {uint8_t{1}, uint8_t{0}}) {
    for (size_t i = 0; i < victims_.size(); ++i) {
      if (overdrawn[i] != is_protected) continue;
      if (FitsWith(**victims_[i].pod)) {
        Add(**victims_[i].pod);
      } else {
        leaving.push_back(victims_[i]);
        candidate.pdb_violations += is_protected;
      }
    }
  }
  std::ranges::stable_sort(leaving, is_more_important);
  for (const Victim& victim : leaving) candidate.victims.push_back(*victim.pod);
  return candidate;
}

}  // namespace berth::plugins
