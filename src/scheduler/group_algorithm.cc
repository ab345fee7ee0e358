// SPDX-License-Identifier: Apache-2.0
#include "scheduler/group_algorithm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "scheduler/group_search.h"

namespace berth::scheduler {
namespace {

using framework::GroupNode;
using framework::PlacementProgress;
using framework::Status;
using framework::StatusCode;

// So many domains are told of, and so many members of each in messages.
constexpr size_t kDomainsTold = 20;
constexpr size_t kMembersTold = 5;

GroupStatus Unschedulable(std::vector<std::string> reasons) {
  return {StatusCode::kUnschedulable, std::string(kGroupUnschedulable), std::move(reasons)};
}

GroupResult ResultOf(const GroupNode& group, GroupStatus status) {
  return {.group = &group, .members = {}, .status = std::make_shared<GroupStatus>(std::move(status))};
}

// Calls `visit(result)` for the pod groups that were scheduled, as far as everything above them was.
template <class Results, class Visit>
void ForEachScheduledLeaf(const GroupNode& group, Results& results, Visit visit) {
  const auto found = results.find(group.key);
  if (found == results.end() || !found->second.status->ok()) return;
  for (const auto& child : group.children) ForEachScheduledLeaf(*child, results, visit);
  if (!found->second.members.empty()) visit(found->second);
}

std::vector<framework::ProposedAssignment> AssignmentsOf(const GroupNode& group, const GroupResults& results) {
  std::vector<framework::ProposedAssignment> assignments;
  ForEachScheduledLeaf(group, results, [&](const GroupResult& leaf) {
    for (const MemberResult& member : leaf.members) {
      if (member.status.ok()) assignments.push_back({member.cycle.get(), member.node});
    }
  });
  return assignments;
}

}  // namespace

std::string GroupStatus::message() const {
  if (error.empty()) return fmt::format("{}", fmt::join(reasons, ", "));
  return fmt::format("{}{}{}", error, reasons.empty() ? "" : ", ", fmt::join(reasons, ", "));
}

GroupResults GroupAlgorithm::Run(const GroupNode& root) {
  generated_.clear();
  scored_.clear();
  failed_domains_.clear();
  // A search would ask extenders without end.
  steps_left_ = options_.dialogs == nullptr ? profile_.search_steps() : 0;
  waits_ = false;
  GroupResults results;
  const std::span<const NodeSlot> all = parts_.cluster.order();
  Place(root, {"", {all.begin(), all.end()}}, results);
  trial_.UndoTo(0);
  GroupResult& result = results.at(root.key);
  if (result.status->ok() && !result.any_scheduled) *result.status = Unschedulable({});
  return results;
}

void GroupAlgorithm::Place(const GroupNode& group, const Placement& parent, GroupResults& results) {
  if (!options_.placements) return PlaceWithin(group, parent, results);
  std::vector<Placement> placements;
  const Status generated = profile_.RunPlacementGenerate(group, parent, parts_.cluster, placements);
  generated_.push_back({.group = group.key, .placements = {}, .status = generated});
  for (const Placement& placement : placements) generated_.back().placements.emplace_back(placement.name, 0);
  const bool is_told = parts_.observer != nullptr && !group.key.is_composite;
  if (is_told && generated.ok()) parts_.observer->PlacementsGenerated(profile_, placements.size());
  if (!generated.ok()) {
    results.insert_or_assign(group.key, ResultOf(group, GroupStatus(generated)));
    return;
  }

  std::vector<GroupResults> found(placements.size());
  std::vector<size_t> feasible;
  const size_t before = trial_.size();
  size_t steps = std::exchange(steps_left_, 0);
  for (size_t i = 0; i < placements.size(); ++i) {
    const framework::Moment since = is_told ? parts_.observer->Start() : framework::Moment();
    const size_t share = steps / (placements.size() - i);
    steps_left_ = share;
    domains_.push_back(placements[i].name);
    PlaceWithin(group, placements[i], found[i]);
    domains_.pop_back();
    steps -= share - std::exchange(steps_left_, 0);
    trial_.UndoTo(before);
    GroupResult& result = found[i].at(group.key);
    if (result.status->is_error()) {
      results.insert_or_assign(group.key, std::move(result));
      return;
    }
    if (result.status->ok()) feasible.push_back(i);
    if (is_told) parts_.observer->PlacementTried(profile_, result.status->ok(), since);
  }
  steps_left_ = steps;
  const auto take = [&](GroupResults& from) {
    for (auto& [key, result] : from) results.insert_or_assign(key, std::move(result));
  };
  if (feasible.empty()) {
    GroupResult& first = found.front().at(group.key);
    std::vector<std::string> reasons = {fmt::format("0/{} placements are available, first placement status: {}",
                                                    placements.size(), first.status->AsError())};
    for (size_t i = 0; i < placements.size() && failed_domains_.size() < kDomainsTold; ++i) {
      NoteDomain(group, placements[i], found[i]);
      const FailedDomain& domain = failed_domains_.back();
      if (searches_ && !domain.name.empty()) reasons.push_back(fmt::format("{}: {}", domain.name, domain.message));
    }
    first.status = std::make_shared<GroupStatus>(Unschedulable(std::move(reasons)));
    return take(found.front());
  }

  size_t best = 0;
  if (feasible.size() > 1) {
    std::vector<framework::Profile::PlacementOption> scores;
    for (const size_t i : feasible) scores.push_back({&placements[i], AssignmentsOf(group, found[i])});
    const Status status = ChooseBest(group, scores, best);
    if (!status.ok()) {
      results.insert_or_assign(group.key, ResultOf(group, GroupStatus(status)));
      return;
    }
  }
  take(found[feasible[best]]);
  if (!options_.composite) return;  // Nobody else has to see it.
  if (const Status repeated = Repeat(group, results); !repeated.ok()) {
    results.insert_or_assign(
        group.key, ResultOf(group, GroupStatus::Error("failed to assume the subtree: " + repeated.message())));
  }
}

Status GroupAlgorithm::ChooseBest(const GroupNode& group, std::vector<framework::Profile::PlacementOption>& options,
                                  size_t& best) {
  Status status = profile_.RunPlacementScores(group, parts_.cluster, options);
  if (!status.ok()) return status;
  PlacementCall call{.group = group.key, .placements = {}, .status = {}};
  for (size_t i = 0; i < options.size(); ++i) {
    call.placements.emplace_back(options[i].placement->name, options[i].score);
    // Of equal ones the first by name.
    if (options[i].score > options[best].score) best = i;
  }
  scored_.push_back(std::move(call));
  return status;
}

Status GroupAlgorithm::Repeat(const GroupNode& group, const GroupResults& results) {
  const size_t before = trial_.size();
  Status status;
  ForEachScheduledLeaf(group, results, [&](const GroupResult& leaf) {
    for (const MemberResult& member : leaf.members) {
      if (member.status.ok() && status.ok()) status = trial_.Add(member);
    }
  });
  if (!status.ok()) trial_.UndoTo(before);
  return status;
}

void GroupAlgorithm::PlaceWithin(const GroupNode& group, const Placement& placement, GroupResults& results) {
  const size_t before = trial_.size();
  group.key.is_composite ? PlaceChildren(group, placement, results) : PlacePods(group, placement, results);
  GroupResult& result = results.at(group.key);
  if (result.status->ok()) return;
  trial_.UndoTo(before);
  result.any_scheduled = false;
}

void GroupAlgorithm::NoteDomain(const GroupNode& group, const Placement& placement, GroupResults& found) {
  FailedDomain& domain = failed_domains_.emplace_back();
  domain.group = group.key;
  domain.name = placement.name;
  domain.message = found.at(group.key).status->message();
  for (const auto& [key, result] : found) {
    for (const MemberResult& member : result.members) {
      if (!member.status.ok()) domain.members.emplace(member.pod->full_name(), member.status.message());
    }
  }
}

void GroupAlgorithm::Search(const GroupNode& group, const Placement& placement, size_t scheduled, GroupResult& result) {
  GroupSearch search(
      {.profile = profile_,
       .cluster = parts_.cluster,
       .trial = trial_,
       .place = [this](const cluster::PodPtr& pod, const Placement& nodes) { return PlacePod(pod, nodes); }},
      group, placement, scheduled, steps_left_);
  std::optional<std::vector<MemberResult>> found = search.Run();
  steps_left_ -= std::min(steps_left_, search.steps());
  if (found) {
    result.members = *std::move(found);
    result.any_scheduled = true;
    *result.status = GroupStatus();
    return;
  }
  std::vector<std::string>& reasons = result.status->reasons;
  reasons.push_back(search.is_over() ? fmt::format("no placement exists, by a search of {} steps", search.steps())
                                     : fmt::format("no placement found in {} steps of search", search.steps()));
  size_t told = 0;
  for (const MemberResult& member : result.members) {
    if (member.status.ok() || told++ >= kMembersTold) continue;
    reasons.push_back(fmt::format("{}: {}", member.pod->full_name(), member.status.message()));
  }
}

void GroupAlgorithm::PlacePods(const GroupNode& group, const Placement& placement, GroupResults& results) {
  const cluster::PodGroupState* state = parts_.cluster.groups.Find(group.key);
  const size_t scheduled = state == nullptr ? 0 : state->scheduled_count();
  const size_t before = trial_.size();
  PlacementProgress progress{.scheduled = scheduled, .remaining = group.pods.size()};
  Status feasible = profile_.RunPlacementFeasible(group, progress);
  const auto check_error = [](const Status& status) {
    return GroupStatus::Error("failed to evaluate placement feasibility: " + status.message());
  };
  GroupResult result{.group = &group, .members = {}, .status = nullptr};
  GroupStatus status(feasible);
  if (feasible.code == StatusCode::kError) {
    status = check_error(feasible);
  } else if (feasible.code == StatusCode::kUnschedulable) {
    status = Unschedulable(std::move(feasible.reasons));
  } else {
    for (const cluster::PodPtr& pod : group.pods) {
      result.members.push_back(PlacePod(pod, placement));
      const GroupStatus& member = result.members.back().status;
      if (!member.ok() && !member.is_rejected()) {
        status = GroupStatus::Error("failed to schedule other pod from a pod group: " + member.AsError());
        break;
      }
      --progress.remaining;
      if (member.ok()) ++progress.scheduled;
      feasible = profile_.RunPlacementFeasible(group, progress);
      status = feasible.code == StatusCode::kError ? check_error(feasible) : GroupStatus(feasible);
      if (feasible.code == StatusCode::kError || feasible.code == StatusCode::kUnschedulable) break;
      result.any_scheduled |= member.ok();
    }
    if (status.code == StatusCode::kWait) status = Unschedulable(std::move(status.reasons));
  }
  result.status = std::make_shared<GroupStatus>(std::move(status));
  if (steps_left_ > 0 && result.status->is_rejected() && !result.members.empty()) {
    trial_.UndoTo(before);
    Search(group, placement, scheduled, result);
  }
  results.insert_or_assign(group.key, std::move(result));
}

MemberResult GroupAlgorithm::PlacePod(const cluster::PodPtr& pod, const Placement& placement) {
  MemberResult member;
  member.pod = pod;
  member.was_tried = true;
  member.cycle =
      std::make_unique<framework::Cycle>(pod, parts_.cluster, parts_.chooser, parts_.buffers, profile_.plugin_count());
  member.cycle->set_now(now_);
  member.cycle->set_group_attempt(options_.attempt);
  member.cycle->set_placement(placement.nodes);
  if (parts_.observer != nullptr) parts_.observer->AttemptBegins(profile_, *pod);
  ExtenderDialog* const dialog = DialogOf(pod);
  Decision decision = parts_.algorithm.Decide(profile_, *member.cycle, dialog);
  member.cycle->clear_placement();
  if (decision.outcome == Outcome::kWaiting) {
    waits_ = true;
    member.status = GroupStatus::Error("an extender has to be asked");
    return member;
  }
  if (parts_.observer != nullptr) {
    for (const framework::SkippedExtender& skipped : decision.skipped_extenders) {
      parts_.observer->ExtenderSkipped(*pod, skipped);
    }
  }
  if (decision.outcome != Outcome::kScheduled) {
    const bool rejected = decision.outcome == Outcome::kUnschedulable;
    member.status = {rejected ? StatusCode::kUnschedulable : StatusCode::kError, decision.message};
    member.unschedulable_plugins = decision.diagnosis.unschedulable_plugins;
    member.pending_plugins = decision.diagnosis.pending_plugins;
    if (decision.clears_nomination) member.nomination = "";
    return member;
  }
  member.node = decision.node;
  member.node_name = parts_.cluster.nodes().name[decision.node.index];
  // An extender may have returned a node of its own.
  if (dialog != nullptr && !parts_.cluster.nodes().Find(member.node_name, member.node)) {
    member.status = GroupStatus::Error(fmt::format("node \"{}\" not found", member.node_name));
    return member;
  }
  member.feasible_nodes = decision.feasible_count;
  member.evaluated_nodes = member.feasible_nodes + decision.diagnosis.candidates->rejected().size();
  if (searches_) member.feasible = std::move(decision.feasible);
  const Status reserved = trial_.Add(member);
  if (!reserved.ok()) {
    member.nomination = "";
    member.status = GroupStatus(reserved);
    if (reserved.is_rejected()) {
      framework::FitMessage fit(1);
      fit.Add(reserved.reasons);
      member.status = {reserved.code, fit.ToString()};
      (reserved.code == StatusCode::kPending ? member.pending_plugins : member.unschedulable_plugins)
          .insert(reserved.plugin);
    }
  } else if (!options_.keeps_states) {
    profile_.DropDecisionStates(*member.cycle);
  }
  return member;
}

ExtenderDialog* GroupAlgorithm::DialogOf(const cluster::PodPtr& pod) const {
  if (options_.dialogs == nullptr || !parts_.algorithm.extenders().Concern(*pod)) return nullptr;
  return &options_.dialogs->Of(pod, fmt::format("{}/{}", options_.occasion, fmt::join(domains_, "/")));
}

void GroupAlgorithm::PlaceChildren(const GroupNode& group, const Placement& placement, GroupResults& results) {
  std::vector<const GroupNode*> children;
  for (const auto& child : group.children) children.push_back(child.get());
  const size_t before = trial_.size();
  PlaceInOrder(group, children, placement, results);
  if (steps_left_ == 0 || !results.at(group.key).status->is_rejected()) return;
  std::ranges::stable_sort(children, std::greater(), [](const GroupNode* child) { return child->AllPods().size(); });
  trial_.UndoTo(before);
  GroupResults again;
  PlaceInOrder(group, children, placement, again);
  if (again.at(group.key).status->ok()) results.swap(again);
}

void GroupAlgorithm::PlaceInOrder(const GroupNode& group, std::span<const GroupNode* const> children,
                                  const Placement& placement, GroupResults& results) {
  PlacementProgress progress{.scheduled = 0, .remaining = group.children.size()};
  const auto is_over = [](const Status& status) {
    return status.code == StatusCode::kUnschedulable || status.code == StatusCode::kError;
  };
  Status feasible = profile_.RunPlacementFeasible(group, progress);
  if (is_over(feasible)) {
    results.insert_or_assign(group.key, ResultOf(group, GroupStatus(feasible)));
    return;
  }
  bool any_scheduled = false;
  for (const GroupNode* child : children) {
    Place(*child, placement, results);
    const GroupResult& result = results.at(child->key);
    if (result.status->is_error()) {
      results.insert_or_assign(
          group.key, ResultOf(group, GroupStatus::Error("composite pod group evaluation failed due to child error: " +
                                                        result.status->AsError())));
      return;
    }
    any_scheduled |= result.any_scheduled;
    --progress.remaining;
    if (result.status->ok()) ++progress.scheduled;
    feasible = profile_.RunPlacementFeasible(group, progress);
    if (is_over(feasible)) break;
  }
  GroupStatus status(feasible);
  if (status.code == StatusCode::kWait) status = Unschedulable(std::move(status.reasons));
  GroupResult result = ResultOf(group, std::move(status));
  result.any_scheduled = any_scheduled;
  results.insert_or_assign(group.key, std::move(result));
}

}  // namespace berth::scheduler
