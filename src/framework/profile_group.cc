// SPDX-License-Identifier: Apache-2.0
// How a profile schedules a group as a whole.

#include <fmt/format.h>

#include <algorithm>

#include "framework/profile.h"

namespace berth::framework {

Status Profile::RunPlacementFeasible(const GroupNode& group, const PlacementProgress& progress) const {
  return Observe(RunPoint::kPlacementFeasible, [&] {
    Status outcome;
    for (const auto& [plugin, point] : placement_feasible_) {
      Status status = point->PlacementFeasible(group, progress);
      if (status.ok()) continue;
      status.plugin = plugin->name();
      if (status.code != StatusCode::kWait && status.code != StatusCode::kUnschedulable) {
        status = Status::Error(fmt::format("running PlacementFeasible plugin: {}", status.message()));
      }
      if (status.code != StatusCode::kWait) return status;
      outcome = std::move(status);
    }
    return outcome;
  });
}

size_t Profile::search_steps() const {
  size_t steps = 0;
  for (const auto& [plugin, point] : placement_feasible_) steps = std::max(steps, point->search_steps());
  return steps;
}

Status Profile::RunPlacementGenerate(const GroupNode& group, const Placement& parent, const cluster::Cluster& cluster,
                                     std::vector<Placement>& placements) const {
  if (placement_generate_.empty()) {
    placements.push_back({"", parent.nodes});
    return Status::Success();
  }
  const auto& [plugin, point] = placement_generate_.front();
  Status status = Observe(RunPoint::kPlacementGenerate,
                          [&] { return point->GeneratePlacements(group, parent, cluster, placements); });
  if (status.ok() && placements.empty()) status = Status::Unschedulable("no feasible placements found");
  if (!status.ok()) status.plugin = plugin->name();
  return status;
}

Status Profile::RunPlacementScores(const GroupNode& group, const cluster::Cluster& cluster,
                                   std::vector<PlacementOption>& options) const {
  return Observe(RunPoint::kPlacementScore, [&] { return ScorePlacements(group, cluster, options); });
}

Status Profile::ScorePlacements(const GroupNode& group, const cluster::Cluster& cluster,
                                std::vector<PlacementOption>& options) const {
  const auto fail = [](std::string_view what, const Plugin& plugin, const Status& status) {
    return Status::Error(
        fmt::format("{} PlacementScore plugins: plugin \"{}\" failed with: {}", what, plugin.name(), status.message()));
  };
  for (const auto& [at, weight] : placement_score_) {
    std::vector<int64_t> scores(options.size());
    for (size_t i = 0; i < options.size(); ++i) {
      const Status status =
          at.point->ScorePlacement(group, *options[i].placement, options[i].assignments, cluster, scores[i]);
      if (!status.ok()) return fail("running", *at.plugin, status);
    }
    const Status status = at.point->NormalizePlacements(scores);
    if (!status.ok()) return fail("running NormalizePlacementScore on", *at.plugin, status);
    for (size_t i = 0; i < options.size(); ++i) {
      if (scores[i] < 0 || scores[i] > kMaxNodeScore) {
        return Status::Error(fmt::format(
            "applying score defaultWeights on PlacementScore plugins: plugin \"{}\" returns an invalid score {}, it "
            "should in the range of [0, {}] after normalizing",
            at.plugin->name(), scores[i], kMaxNodeScore));
      }
      options[i].score += scores[i] * weight;
    }
  }
  return Status::Success();
}

GroupPostFilterResult Profile::RunPodGroupPostFilter(FailedGroup& group, Effects& effects) const {
  return Observe(RunPoint::kPodGroupPostFilter, [&] { return MakeRoom(group, effects); });
}

GroupPostFilterResult Profile::MakeRoom(FailedGroup& group, Effects& effects) const {
  GroupPostFilterResult combined;
  combined.status.code = StatusCode::kUnschedulable;
  for (const auto& [plugin, point] : pod_group_post_filter_) {
    GroupPostFilterResult result = ObservePlugin(*plugin, RunPoint::kPodGroupPostFilter, 1,
                                                 [&] { return point->PodGroupPostFilter(group, effects); });
    if (result.status.ok()) return result;
    if (result.status.code == StatusCode::kUnschedulableAndUnresolvable) {
      result.status.plugin = plugin->name();
      return result;
    }
    if (result.status.code != StatusCode::kUnschedulable) {
      Status error = Status::Error(
          fmt::format("error in \"{}\" PodGroupPostFilter plugins: {}", plugin->name(), result.status.message()));
      error.plugin = plugin->name();
      return {std::move(error)};
    }
    for (std::string& reason : result.status.reasons) combined.status.reasons.push_back(std::move(reason));
    if (combined.status.plugin.empty()) combined.status.plugin = plugin->name();
  }
  return combined;
}

}  // namespace berth::framework
