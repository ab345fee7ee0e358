// SPDX-License-Identifier: Apache-2.0
#include "scheduler/ranked_search.h"

#include <algorithm>
#include <limits>

namespace berth::scheduler {
namespace {

using framework::Profile;
using Part = framework::Profile::RankPlan::Part;

// As many nodes all rankings together may have: some times those of the cluster, and of a small one more.
constexpr size_t kRankedNodesMin = 262'144;
constexpr size_t kRankingsMin = 4;
// Where nodes are told apart as much as this, a full search costs no more.
constexpr size_t kCohortsMax = 1'024;
// Of this many templates credits are known.
constexpr size_t kTriedTemplatesMax = 4'096;
// Rankings of templates that have gone are looked for once in so many attempts.
constexpr uint64_t kSweepPeriod = 256;

// Whether pods are nominated to nodes that `pod` must give way to: such nodes are judged with them and without.
bool AnyRivals(const cluster::Cluster& cluster, const cluster::PodInfo& pod) {
  return std::ranges::any_of(cluster.nominated.by_node(), [&](const auto& entry) {
    return std::ranges::any_of(entry.second, [&](const cluster::PodPtr& other) {
      return other->priority() >= pod.priority() && other->uid != pod.uid;
    });
  });
}

// Tells the observer of a profile that a step has run.
class ObservedPoint {
 public:
  ObservedPoint(const Profile& profile, framework::RunPoint point)
      : profile_(profile),
        point_(point),
        since_(profile.observer() == nullptr ? framework::Moment() : profile.observer()->Start()) {}
  ~ObservedPoint() {
    if (profile_.observer() != nullptr)
      profile_.observer()->PointRan(profile_, point_, framework::StatusCode::kSuccess, since_);
  }
  ObservedPoint(const ObservedPoint&) = delete;
  ObservedPoint& operator=(const ObservedPoint&) = delete;

 private:
  const Profile& profile_;
  framework::RunPoint point_;
  framework::Moment since_;
};

}  // namespace

bool RankedSearch::Decide(const Profile& profile, framework::Cycle& cycle, Decision& decision) {
  const std::optional<uint64_t> start = cycle.chooser().RingStart(cycle);
  const cluster::PodInfo& pod = cycle.pod();
  if (!start || AnyRivals(cycle.cluster(), pod)) return false;
  const size_t node_count = cycle.nodes().slot_limit();
  Ranking* known = Find(profile, pod);
  const size_t cost = known == nullptr ? node_count : known->RepairCost(cycle.nodes());
  if (!IsWorthwhile(cost, pod, node_count)) return false;
  if (!profile.PlanRanking(cycle, plan_)) return false;
  if (known != nullptr && cost < node_count && !known->IsBuiltBy(plan_) && !IsWorthwhile(node_count, pod, node_count)) {
    return false;
  }
  Ranking& ranking = known == nullptr ? Make(profile, pod, node_count) : *known;
  if (!ranking.Repair(plan_, cycle)) return false;
  if (ranking.cohorts().size() > kCohortsMax) {
    std::erase_if(rankings_, [&](const Kept& kept) { return kept.ranking.get() == &ranking; });
    return false;
  }
  if (!FilterCohorts(profile, cycle, ranking)) return false;
  decision.feasible_count = entrants_.node_count;
  if (entrants_.node_count == 0 || told_nodes_ > 0) CopyVerdicts(ranking, cycle.candidates());
  if (entrants_.node_count == 0) return true;
  if (entrants_.node_count > 1) {
    cycle.set_node_counts(entrants_.counts);
    const bool are_scored = ScoreCohorts(profile, cycle);
    cycle.set_node_counts({});
    if (!are_scored) return false;
  }
  Choose(ranking, *start, decision);
  if (told_nodes_ > 0) Tell(profile, cycle, ranking, decision);
  return true;
}

bool RankedSearch::IsWorthwhile(size_t judged, const cluster::PodInfo& pod, size_t node_count) {
  if (credits_.size() >= kTriedTemplatesMax) credits_.clear();
  const size_t search = std::max<size_t>(node_count / patience_, 1);
  size_t& credit = credits_[pod.pod_template->id];
  const bool is_paid = judged <= credit + search;
  credit = is_paid ? credit - std::min(judged, credit) : credit + search;
  return is_paid;
}

Ranking* RankedSearch::Find(const Profile& profile, const cluster::PodInfo& pod) {
  if (++clock_ % kSweepPeriod == 0) Sweep();
  const auto known =
      std::ranges::find_if(rankings_, [&](const Kept& kept) { return kept.ranking->IsFor(profile, pod.pod_template); });
  if (known == rankings_.end()) return nullptr;
  known->last_use = clock_;
  return known->ranking.get();
}

void RankedSearch::Sweep() {
  std::erase_if(rankings_, [](const Kept& kept) { return !kept.ranking->is_wanted(); });
}

Ranking& RankedSearch::Make(const Profile& profile, const cluster::PodInfo& pod, size_t node_count) {
  Sweep();
  const size_t limit = std::max(kRankingsMin, kRankedNodesMin / std::max<size_t>(node_count, 1));
  while (rankings_.size() >= limit) rankings_.erase(std::ranges::min_element(rankings_, {}, &Kept::last_use));
  rankings_.push_back({std::make_unique<Ranking>(profile, pod.pod_template), clock_});
  return *rankings_.back().ranking;
}

void RankedSearch::Entrants::Clear() {
  cohorts.clear();
  nodes.clear();
  counts.clear();
  node_count = 0;
  rejected.clear();
}

bool RankedSearch::FilterCohorts(const Profile& profile, framework::Cycle& cycle, const Ranking& ranking) {
  const ObservedPoint observed(profile, framework::RunPoint::kFilter);
  entrants_.Clear();
  size_t ranked = 0;
  for (const auto& [traits, cohort] : ranking.cohorts()) {
    entrants_.cohorts.push_back(&cohort);
    entrants_.nodes.push_back(cohort.first());
    ranked += cohort.nodes.size();
  }
  if (ranked + ranking.rejected_count() != cycle.order().size()) return false;
  framework::Candidates& candidates = cycle.candidates();
  if (!plan_.trait_filters.empty()) {
    candidates.Restart(entrants_.nodes);
    if (!profile.RunFilters(plan_.trait_filters, cycle, candidates)) return false;
    for (size_t i = 0; i < entrants_.nodes.size(); ++i) {
      const framework::Verdict& verdict = candidates.verdict(entrants_.nodes[i]);
      if (verdict.code == framework::StatusCode::kSuccess) continue;
      entrants_.rejected.emplace_back(std::exchange(entrants_.cohorts[i], nullptr), verdict);
    }
    std::erase(entrants_.cohorts, nullptr);
    entrants_.nodes.assign(candidates.nodes().begin(), candidates.nodes().end());
  }
  for (const Ranking::Cohort* cohort : entrants_.cohorts) {
    entrants_.counts.push_back(cohort->nodes.size());
    entrants_.node_count += cohort->nodes.size();
  }
  return true;
}

void RankedSearch::CopyVerdicts(const Ranking& ranking, framework::Candidates& candidates) const {
  // What is said of the first of a cohort is said of all, and cohorts of which the same is said are told as one.
  std::vector<framework::Candidates::Rejected> together;
  for (const auto& [cohort, verdict] : entrants_.rejected) {
    auto same = std::ranges::find(together, verdict, &framework::Candidates::Rejected::verdict);
    if (same == together.end()) same = together.insert(same, {.verdict = verdict, .count = 0, .nodes = {}});
    same->nodes.InsertAll(cohort->members);
    same->count += cohort->nodes.size();
  }
  // The verdicts so far are among these.
  candidates.Restart(std::vector(candidates.rejected().begin(), candidates.rejected().end()));
  candidates.Restart({});
  for (framework::Candidates::Rejected& many : together) candidates.AddRejected(std::move(many));
  ranking.CopyVerdicts(candidates);
}

bool RankedSearch::ScoreCohorts(const Profile& profile, framework::Cycle& cycle) {
  const std::span<const NodeSlot> nodes = entrants_.nodes;
  entrants_.totals.assign(nodes.size(), 0);
  columns_.resize(plan_.scores.size());
  {
    const ObservedPoint observed(profile, framework::RunPoint::kPreScore);
    for (const auto& [entry, part] : plan_.scores) {
      if (part == Part::kTraits && !profile.PreScore(cycle, nodes, entry->at.plugin).ok()) return false;
    }
  }
  const ObservedPoint observed(profile, framework::RunPoint::kScore);
  size_t next_raw = 0;
  for (size_t p = 0; p < plan_.scores.size(); ++p) {
    const auto& [entry, part] = plan_.scores[p];
    if (part == Part::kNode || cycle.skip_score()[entry->at.plugin->index()]) continue;
    framework::Scores& scores = columns_[p];
    if (part == Part::kRaw) {
      const std::span<int64_t> values = scores.MakeArray(nodes.size());
      for (size_t i = 0; i < nodes.size(); ++i) values[i] = entrants_.cohorts[i]->raw_scores[next_raw];
      ++next_raw;
    } else if (!profile.RunScore(*entry, cycle, nodes, scores).ok()) {
      return false;
    }
    if (!profile.RunNormalize(*entry, cycle, nodes, scores).ok()) return false;
    for (size_t i = 0; i < nodes.size(); ++i) entrants_.totals[i] += scores[i] * entry->weight;
  }
  return true;
}

void RankedSearch::Choose(const Ranking& ranking, uint64_t start, Decision& decision) const {
  std::optional<Ranking::Place> best;
  for (size_t i = 0; i < entrants_.nodes.size(); ++i) {
    const Ranking::Cohort& cohort = *entrants_.cohorts[i];
    Ranking::Place place{ranking.standing(cohort.first()), 0};
    if (entrants_.node_count > 1) place.standing.total += entrants_.totals[i];
    if (!best || place.standing.total > best->standing.total) {
      decision.tied_count = 0;
    }
    if (!best || place.standing.total >= best->standing.total) decision.tied_count += cohort.tied();
    if (best && best->standing.IsAhead(place.standing)) continue;
    const NodeSlot node = ranking.Next(cohort, start);
    place.ring = ranking.ring(node) - start;
    if (best && !place.standing.IsAhead(best->standing) && place.ring >= best->ring) continue;
    best = place;
    decision.node = node;
  }
}

void RankedSearch::Tell(const Profile& profile, framework::Cycle& cycle, const Ranking& ranking, Decision& decision) {
  decision.feasible.assign(1, decision.node);
  if (entrants_.node_count == 1) return;
  // The best by their totals, with the cohort of each; the chosen one goes first.
  struct Told {
    int64_t total;
    NodeSlot node;
    size_t cohort;
  };
  std::vector<Told> told;
  for (size_t i = 0; i < entrants_.cohorts.size(); ++i) {
    size_t left = told_nodes_ + 1;
    for (auto node = entrants_.cohorts[i]->nodes.begin(); node != entrants_.cohorts[i]->nodes.end() && left > 0;
         ++node, --left) {
      told.push_back({ranking.standing(*node).total + entrants_.totals[i], *node, i});
    }
  }
  std::ranges::stable_sort(told, std::ranges::greater(), &Told::total);
  const auto chosen = std::ranges::find(told, decision.node, &Told::node);
  if (chosen == told.end()) {
    const auto is_there = [&](const Ranking::Cohort* cohort) { return cohort->nodes.contains(decision.node); };
    const auto cohort =
        static_cast<size_t>(std::ranges::find_if(entrants_.cohorts, is_there) - entrants_.cohorts.begin());
    told.insert(told.begin(),
                {ranking.standing(decision.node).total + entrants_.totals[cohort], decision.node, cohort});
  } else {
    std::rotate(told.begin(), chosen, chosen + 1);
  }
  if (told.size() > told_nodes_) told.resize(told_nodes_);

  decision.feasible.clear();
  board_.plugin_count = 0;
  board_.totals.clear();
  for (const Told& one : told) {
    decision.feasible.push_back(one.node);
    board_.totals.push_back(one.total);
  }
  for (size_t p = 0; p < plan_.scores.size(); ++p) {
    const auto& [entry, part] = plan_.scores[p];
    if (cycle.skip_score()[entry->at.plugin->index()]) continue;
    framework::PluginScores& column = board_.Add(*entry->at.plugin, entry->weight);
    if (part == Part::kNode) {
      (void)profile.RunScore(*entry, cycle, decision.feasible, column.scores);
    } else {
      const std::span<int64_t> values = column.scores.MakeArray(told.size());
      for (size_t i = 0; i < told.size(); ++i) values[i] = columns_[p][told[i].cohort];
    }
  }
  decision.scores = &board_;
}

void RankedSearch::Clear() {
  rankings_.clear();
  credits_.clear();
  plan_.Clear();
}

void RankedSearch::AppendSizes(cluster::TableSizes& sizes) const {
  size_t nodes = 0;
  for (const Kept& kept : rankings_) nodes += kept.ranking->node_count();
  sizes.insert(sizes.end(), {{"rankings", rankings_.size()}, {"ranked nodes", nodes}});
}

}  // namespace berth::scheduler
