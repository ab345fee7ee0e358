// SPDX-License-Identifier: Apache-2.0
// How a profile takes part where nodes are kept in order (scheduler/ranking.h).

#include <algorithm>

#include "framework/profile.h"

namespace berth::framework {

void Profile::RankPlan::Clear() {
  node_filters.clear();
  trait_filters.clear();
  scores.clear();
  traits.clear();
  sources.clear();
  fine = nullptr;
}

bool Profile::RankPlan::AddTraits(Cycle& cycle, const Plugin& plugin) {
  const auto* names = dynamic_cast<const TraitPlugin*>(&plugin);
  if (names == nullptr) return false;
  if (std::ranges::find(traits, names) != traits.end()) return true;
  traits.push_back(names);
  return names->AppendSources(cycle, sources);
}

bool Profile::PlanRanking(Cycle& cycle, RankPlan& plan) const {
  plan.Clear();
  if (run_all_filters_) return false;
  for (const FilterEntry& entry : filter_) {
    if (cycle.skip_filter()[entry.at.plugin->index()]) continue;
    if (!entry.error.empty()) return false;
    switch (entry.at.point->filter_reach(cycle)) {
      case Reach::kCluster: return false;
      case Reach::kNode: plan.node_filters.push_back(&entry); break;
      case Reach::kTraits:
        if (!plan.AddTraits(cycle, *entry.at.plugin)) return false;
        plan.trait_filters.push_back(&entry);
        break;
    }
  }
  for (const ScoreEntry& entry : score_) {
    const Plugin* plugin = entry.at.plugin;
    if (!entry.error.empty()) return false;
    switch (entry.at.point->score_reach(cycle)) {
      case Reach::kCluster: return false;
      case Reach::kNode:
        if (!PreScore(cycle, {}, plugin).ok()) return false;
        if (cycle.skip_score()[plugin->index()]) break;
        plan.scores.push_back({&entry, entry.at.point->normalizes() ? RankPlan::Part::kRaw : RankPlan::Part::kNode});
        if (!entry.at.point->has_fine_scores()) break;
        if (plan.fine != nullptr) return false;
        plan.fine = entry.at.point;
        break;
      case Reach::kTraits:
        if (!plan.AddTraits(cycle, *plugin)) return false;
        plan.scores.push_back({&entry, RankPlan::Part::kTraits});
        break;
    }
  }
  return true;
}

bool Profile::RunFilters(std::span<const FilterEntry* const> entries, Cycle& cycle, Candidates& candidates) const {
  for (const FilterEntry* entry : entries) {
    if (candidates.empty()) break;
    if (!RunFilter(*entry, cycle, candidates)) return false;
  }
  return true;
}

}  // namespace berth::framework
