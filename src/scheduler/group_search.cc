// SPDX-License-Identifier: Apache-2.0
#include "scheduler/group_search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace berth::scheduler {
namespace {

using cluster::NodeSlot;
using framework::StatusCode;

// Pods of one template and with the same labels may change places.
GroupSearch::Likeness LikenessOf(const cluster::PodInfo& pod) { return {pod.pod_template.get(), pod.label_set.get()}; }

// The share of a node's cpu and memory that is free.
double FreeShare(const cluster::NodeTable& nodes, NodeSlot slot) {
  const auto share = [](int64_t requested, int64_t allocatable) {
    return allocatable <= 0 ? 0.0 : static_cast<double>(allocatable - requested) / static_cast<double>(allocatable);
  };
  return share(nodes.requested_cpu[slot.index], nodes.allocatable_cpu[slot.index]) +
         share(nodes.requested_memory[slot.index], nodes.allocatable_memory[slot.index]);
}

// What the pod takes of the largest node, by the resource of which it takes most.
double SizeOf(const cluster::PodInfo& pod, int64_t cpu_max, int64_t memory_max) {
  const cluster::Resources& requests = pod.pod_template->requests;
  return std::max(static_cast<double>(requests.cpu_milli) / static_cast<double>(cpu_max),
                  static_cast<double>(requests.memory_bytes) / static_cast<double>(memory_max));
}

}  // namespace

GroupSearch::GroupSearch(Parts parts, const framework::GroupNode& group, const framework::Placement& placement,
                         size_t scheduled, size_t steps_max)
    : parts_(std::move(parts)),
      group_(group),
      placement_(placement),
      scheduled_(scheduled),
      steps_max_(steps_max),
      is_entangled_(std::ranges::any_of(group.pods,
                                        [](const auto& pod) { return !pod->pod_template->required_affinity.empty(); })),
      results_(group.pods.size()) {}

std::optional<std::vector<MemberResult>> GroupSearch::Run() {
  const cluster::NodeTable& nodes = parts_.cluster.nodes();
  int64_t cpu_max = 1;
  int64_t memory_max = 1;
  for (const NodeSlot slot : placement_.nodes) {
    cpu_max = std::max(cpu_max, nodes.allocatable_cpu[slot.index]);
    memory_max = std::max(memory_max, nodes.allocatable_memory[slot.index]);
  }
  Members largest(group_.pods.size());
  std::iota(largest.begin(), largest.end(), size_t{0});
  std::ranges::stable_sort(largest, std::greater(),
                           [&](size_t member) { return SizeOf(*pod(member), cpu_max, memory_max); });
  const Members smallest(largest.rbegin(), largest.rend());
  const bool found =
      TryOrder(largest, false) || TryOrder(largest, true) || TryOrder(smallest, true) || Descend(0, largest, {});
  if (!found) return std::nullopt;
  Finish();
  return std::move(results_);
}

StatusCode GroupSearch::Feasible(size_t placed, size_t remaining) const {
  return parts_.profile.RunPlacementFeasible(group_, {.scheduled = scheduled_ + placed, .remaining = remaining}).code;
}

bool GroupSearch::Place(size_t member, const framework::Placement& nodes) {
  ++steps_;
  results_[member] = parts_.place(pod(member), nodes);
  const GroupStatus& status = results_[member].status;
  failed_ |= !status.ok() && !status.is_rejected();
  return status.ok();
}

bool GroupSearch::PlaceOnFullest(size_t member) {
  const size_t before = parts_.trial.size();
  if (!Place(member, placement_)) return false;
  std::vector<NodeSlot> nodes = results_[member].feasible;
  parts_.trial.UndoTo(before);
  SortFullestFirst(nodes);
  return Place(member, {"", {nodes.front()}});
}

bool GroupSearch::TryOrder(const Members& order, bool on_fullest) {
  const size_t before = parts_.trial.size();
  size_t placed = 0;
  StatusCode feasible = StatusCode::kWait;
  for (size_t i = 0; i < order.size() && can_go_on(); ++i) {
    if (on_fullest ? PlaceOnFullest(order[i]) : Place(order[i], placement_)) ++placed;
    feasible = Feasible(placed, order.size() - i - 1);
    if (feasible != StatusCode::kSuccess && feasible != StatusCode::kWait) break;
  }
  if (feasible == StatusCode::kSuccess && !failed_) return true;
  parts_.trial.UndoTo(before);
  return false;
}

bool GroupSearch::Descend(size_t placed, const Members& left, Ruled ruled) {
  size_t placeable = 0;
  const std::optional<Choice> choice = Fewest(left, ruled, placeable);
  if (!can_go_on()) return false;
  if (!choice) return Feasible(placed, 0) == StatusCode::kSuccess;
  const size_t hopeful = is_entangled_ ? left.size() : placeable;
  if (Feasible(placed, hopeful) == StatusCode::kUnschedulable) return false;
  Members others = left;
  std::erase(others, choice->member);
  const size_t before = parts_.trial.size();
  for (const NodeSlot node : choice->nodes) {
    if (Place(choice->member, {"", {node}})) {
      if (Descend(placed + 1, others, ruled)) return true;
      parts_.trial.UndoTo(before);
    }
    if (!can_go_on()) return false;
    ruled.emplace(LikenessOf(*pod(choice->member)), node);
  }
  results_[choice->member] = MemberResult();
  return Descend(placed, others, std::move(ruled));
}

std::optional<GroupSearch::Choice> GroupSearch::Fewest(const Members& left, const Ruled& ruled, size_t& placeable) {
  std::map<Likeness, std::vector<NodeSlot>> known;  // The nodes of pods that are alike.
  std::optional<Choice> fewest;
  const size_t before = parts_.trial.size();
  for (const size_t member : left) {
    results_[member] = MemberResult();  // That of a branch that was given up.
    const Likeness likeness = LikenessOf(*pod(member));
    auto nodes = known.find(likeness);
    if (nodes == known.end()) {
      if (!can_go_on()) return std::nullopt;
      nodes = known.try_emplace(likeness).first;
      if (Place(member, placement_)) nodes->second = std::move(results_[member].feasible);
      parts_.trial.UndoTo(before);
      results_[member] = MemberResult();
      std::erase_if(nodes->second, [&](NodeSlot node) { return ruled.contains({likeness, node}); });
      SortFullestFirst(nodes->second);
    }
    if (nodes->second.empty()) continue;
    ++placeable;
    if (!fewest || nodes->second.size() < fewest->nodes.size()) fewest = {member, nodes->second};
  }
  return fewest;
}

void GroupSearch::SortFullestFirst(std::vector<NodeSlot>& nodes) const {
  std::ranges::stable_sort(nodes, {}, [&](NodeSlot node) { return FreeShare(parts_.cluster.nodes(), node); });
}

void GroupSearch::Finish() {
  for (size_t member = 0; member < results_.size(); ++member) {
    if (results_[member].pod == nullptr) results_[member] = parts_.place(pod(member), placement_);
  }
}

}  // namespace berth::scheduler
