// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/room_trials.h"

#include <algorithm>

#include "plugins/default_preemption/dry_run.h"

namespace berth::plugins {
namespace {

using framework::MissingRoom;
using framework::Status;

// What a pod with these requests takes up.
int64_t AmountOf(const cluster::Resources& requests, const MissingRoom& missing) {
  switch (missing.of) {
    case MissingRoom::Of::kPods: return 1;
    case MissingRoom::Of::kCpu: return requests.cpu_milli;
    case MissingRoom::Of::kMemory: return requests.memory_bytes;
    case MissingRoom::Of::kEphemeralStorage: return requests.ephemeral_bytes;
    case MissingRoom::Of::kScalar: return requests.scalar(missing.scalar);
  }
  return 0;
}

// Sums of others might overflow.
bool IsUsual(int64_t amount) { return amount >= 0 && amount <= int64_t{1} << 50; }

}  // namespace

RoomTrials::RoomTrials(const framework::Profile& profile, framework::Cycle& cycle,
                       std::span<const cluster::NodeSlot> nodes, DisruptionBudgets& budgets, KeptPods& kept)
    : cycle_(cycle), budgets_(budgets), kept_(kept), room_(profile.RoomFilter(cycle)) {
  if (room_ == nullptr) return;
  framework::Candidates& candidates = cycle.scratch();
  candidates.Reset(nodes, cycle.nodes().slot_limit());
  profile.RunFiltersWithoutPods(cycle, candidates);
  passes_.resize(cycle.nodes().slot_limit());
  if (!candidates.error().ok()) return;
  for (const cluster::NodeSlot node : candidates.nodes()) passes_[node.index] = 1;
  for (const auto& [name, pods] : cycle.cluster().nominated.by_node()) {
    cluster::NodeSlot node;
    if (cycle.nodes().Find(name, node)) nominated_.emplace(node.index, &pods);
  }
}

std::optional<RoomTrials::Outcome> RoomTrials::Try(cluster::NodeSlot node, bool names_violating) {
  if (room_ == nullptr || passes_[node.index] == 0) return std::nullopt;
  missing_.clear();
  if (!FindVictims(node) || !room_->FindMissing(cycle_, node, missing_) || !AddRivals(node)) return std::nullopt;
  if (victims_.empty()) {
    return std::unexpected(Status::Unresolvable(std::string(kNoVictims)));
  }
  if (!TakeVictimsAway()) return std::nullopt;
  if (!Fits()) return std::unexpected(WhyNot());
  framework::PreemptionCandidate candidate = MakeCandidate(node, names_violating);
  // It fits as it is: that is for others to report.
  if (leaving_.empty()) return std::nullopt;
  return candidate;
}

bool RoomTrials::FindVictims(cluster::NodeSlot node) {
  const KeptPods::OnNode& on = kept_.On(node, cycle_.cluster());
  const int32_t priority = cycle_.pod().priority();
  const auto first =
      std::ranges::partition_point(on.pods, [&](const KeptPods::Pod& pod) { return pod.priority >= priority; });
  victims_ = {first, on.pods.end()};
  return !on.any_of_group;
}

bool RoomTrials::AddRivals(cluster::NodeSlot node) {
  const auto nominated = nominated_.find(node.index);
  if (nominated == nominated_.end()) return true;
  const cluster::PodInfo& pod = cycle_.pod();
  const auto add = [&](const cluster::Resources& requests) {
    return std::ranges::all_of(missing_, [&](MissingRoom& missing) {
      const int64_t amount = AmountOf(requests, missing);
      missing.amount += amount;
      return IsUsual(amount);
    });
  };
  return std::ranges::all_of(*nominated->second, [&](const cluster::PodPtr& other) {
    return other->priority() < pod.priority() || other->uid == pod.uid || add(other->requests());
  });
}

bool RoomTrials::TakeVictimsAway() {
  lacking_.clear();
  for (const MissingRoom& missing : missing_) lacking_.push_back(missing.amount);
  amounts_.resize(victims_.size() * missing_.size());
  int64_t* next = amounts_.data();
  bool are_usual = true;
  for (const KeptPods::Pod& victim : victims_) {
    for (size_t i = 0; i < missing_.size(); ++i) {
      const int64_t amount = AmountOf(*victim.requests, missing_[i]);
      are_usual &= IsUsual(amount);
      lacking_[i] = cluster::WrapSub(lacking_[i], amount);
      *next++ = amount;
    }
  }
  return are_usual;
}

bool RoomTrials::Fits() const {
  return std::ranges::all_of(lacking_, [](int64_t amount) { return amount <= 0; });
}

bool RoomTrials::PutBack(size_t victim) {
  const int64_t* const amounts = amounts_.data() + victim * lacking_.size();
  for (size_t i = 0; i < lacking_.size(); ++i) {
    if (lacking_[i] + amounts[i] > 0) return false;
  }
  for (size_t i = 0; i < lacking_.size(); ++i) lacking_[i] += amounts[i];
  return true;
}

Status RoomTrials::WhyNot() const {
  Status status = Status::Unschedulable("");
  status.reasons.clear();
  for (size_t i = 0; i < missing_.size(); ++i) {
    if (lacking_[i] <= 0) continue;
    status.reasons.emplace_back(missing_[i].reason).append(missing_[i].name);
  }
  return status;
}

framework::PreemptionCandidate RoomTrials::MakeCandidate(cluster::NodeSlot node, bool names_violating) {
  framework::PreemptionCandidate candidate{.node = node, .victims = {}};
  leaving_.clear();
  overdrawn_.assign(victims_.size(), 0);
  if (!budgets_.empty()) {
    // Those that a budget protects are put back first.
    budgets_.Refill();
    for (size_t i = 0; i < victims_.size(); ++i) {
      overdrawn_[i] = budgets_.Overdraws(*victims_[i].from, *victims_[i].label_set, victims_[i].info->name);
      if (overdrawn_[i] == 0 || PutBack(i)) continue;
      leaving_.push_back(i);
      ++candidate.pdb_violations;
      if (!names_violating) return candidate;
    }
  }
  for (size_t i = 0; i < victims_.size(); ++i) {
    if (overdrawn_[i] == 0 && !PutBack(i)) leaving_.push_back(i);
  }
  if (candidate.pdb_violations > 0 && candidate.pdb_violations < std::ssize(leaving_)) {
    // Each kind is in order. Of pods equal in importance those go first that a budget protects.
    std::ranges::stable_sort(leaving_, [&](size_t a, size_t b) {
      if (victims_[a].priority != victims_[b].priority) return victims_[a].priority > victims_[b].priority;
      return framework::StartTime(*victims_[a].info) < framework::StartTime(*victims_[b].info);
    });
  }
  const std::vector<cluster::PodPtr>& pods = cycle_.nodes().pods[node.index].pods;
  candidate.victims.reserve(leaving_.size());
  for (const size_t i : leaving_) candidate.victims.push_back(pods[victims_[i].place]);
  return candidate;
}

}  // namespace berth::plugins
