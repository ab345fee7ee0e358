// SPDX-License-Identifier: Apache-2.0
#include "scheduler/ranking.h"

#include <algorithm>

namespace berth::scheduler {

using Plan = framework::Profile::RankPlan;
using Part = framework::Profile::RankPlan::Part;

bool Ranking::Ahead::operator()(NodeSlot a, NodeSlot b) const {
  const Row& first = ranking->rows_[a.index];
  const Row& second = ranking->rows_[b.index];
  if (first.standing.IsAhead(second.standing)) return true;
  if (second.standing.IsAhead(first.standing)) return false;
  return first.ring != second.ring ? first.ring < second.ring : a < b;
}

bool Ranking::Ahead::operator()(NodeSlot a, const Place& b) const {
  const Row& first = ranking->rows_[a.index];
  if (first.standing.IsAhead(b.standing)) return true;
  if (b.standing.IsAhead(first.standing)) return false;
  return first.ring < b.ring;
}

bool Ranking::Repair(const Plan& plan, framework::Cycle& cycle) {
  if (!plan_.SameTables(plan)) is_built_ = false;
  CollectChanges(cycle.nodes());
  if (!is_built_) plan_ = plan;
  is_built_ = Judge(cycle);
  seen_ = cycle.nodes().change_count();
  return is_built_;
}

void Ranking::Reset(size_t size) {
  cohorts_.clear();
  rows_.assign(size, Row());
  reasons_.Clear();
  rejected_.clear();
  rejected_count_ = 0;
}

size_t Ranking::RepairCost(const cluster::NodeTable& nodes) const {
  return is_built_ ? std::min<size_t>(nodes.change_count() - seen_, nodes.slot_limit()) : nodes.slot_limit();
}

void Ranking::CollectChanges(const cluster::NodeTable& nodes) {
  const size_t size = nodes.slot_limit();
  changed_.clear();
  if (is_built_) {
    for (size_t i = size; i < rows_.size(); ++i) TakeOut(NodeSlot{static_cast<uint32_t>(i)});
    rows_.resize(size);
    is_built_ = nodes.VisitChanges(seen_, [&](NodeSlot node) {
      if (std::exchange(rows_[node.index].is_changed, true)) return;
      changed_.push_back(node);
    });
  }
  if (!is_built_) {
    Reset(size);
    changed_.clear();
    for (uint32_t i = 0; i < size; ++i) changed_.push_back({i});
  }
  for (const NodeSlot node : changed_) TakeOut(node);
  std::erase_if(changed_, [&](NodeSlot node) { return !nodes.has_node[node.index] || !nodes.in_use[node.index]; });
}

void Ranking::TakeOut(NodeSlot node) {
  Row& row = rows_[node.index];
  if (row.rejected != kNotRejected) {
    rejected_[row.rejected].nodes.Erase(node);
    --rejected_[row.rejected].count;
    --rejected_count_;
  }
  if (row.cohort != nullptr) {
    Cohort& cohort = *row.cohort;
    const auto total = cohort.by_total.find(row.standing.total);
    if (--total->second == 0) cohort.by_total.erase(total);
    cohort.nodes.erase(row.in_cohort);
    cohort.members.Erase(node);
    if (cohort.nodes.empty()) cohorts_.erase(cohorts_.find(cohort.traits));
  }
  row = Row();
}

bool Ranking::Judge(framework::Cycle& cycle) {
  framework::Candidates& judged = cycle.scratch();
  judged.Reset(changed_, cycle.nodes().slot_limit());
  if (!profile_->RunFilters(plan_.node_filters, cycle, judged)) return false;
  for (const NodeSlot node : judged.rejected()) {
    framework::Verdict verdict = judged.verdict(node);
    verdict.reason = reasons_.Intern(judged.reasons().reasons(verdict.reason));
    Reject(node, verdict);
  }
  if (!Rate(cycle, judged.nodes())) return false;
  Enter(judged.nodes(), cycle);
  return true;
}

void Ranking::Reject(NodeSlot node, framework::Verdict verdict) {
  auto found = std::ranges::find(rejected_, verdict, &framework::Candidates::Rejected::verdict);
  if (found == rejected_.end()) found = rejected_.insert(found, {.verdict = verdict, .count = 0, .nodes = {}});
  found->nodes.Insert(node);
  ++found->count;
  ++rejected_count_;
  rows_[node.index].rejected = static_cast<size_t>(found - rejected_.begin());
}

bool Ranking::Rate(framework::Cycle& cycle, std::span<const NodeSlot> nodes) {
  raw_.clear();
  for (const Plan::Score& score : plan_.scores) {
    if (score.part == Part::kTraits) continue;
    if (!profile_->RunScore(*score.entry, cycle, nodes, scores_).ok()) return false;
    if (score.part == Part::kRaw) raw_.emplace_back(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (score.part == Part::kRaw) {
        raw_.back()[i] = scores_[i];
      } else {
        rows_[nodes[i].index].standing.total += scores_[i] * score.entry->weight;
      }
    }
  }
  const cluster::Counts* of_owner = cycle.cluster().owners().Find(cycle.pod());
  fine_.assign(nodes.size(), {});
  if (plan_.fine != nullptr) plan_.fine->FineScores(cycle, nodes, fine_);
  for (size_t i = 0; i < nodes.size(); ++i) {
    Row& row = rows_[nodes[i].index];
    row.standing.fine = fine_[i];
    row.standing.of_owner = of_owner == nullptr ? 0 : of_owner->of(nodes[i].index);
    row.ring = framework::RingPlace(cycle.nodes().name_hash[nodes[i].index]);
  }
  return true;
}

void Ranking::Enter(std::span<const NodeSlot> nodes, const framework::Cycle& cycle) {
  framework::TraitPlugin::Traits traits;
  std::vector<NodeSlot> sorted(nodes.begin(), nodes.end());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeSlot node = nodes[i];
    traits.clear();
    for (const std::vector<int64_t>& raw : raw_) traits.push_back(static_cast<uint64_t>(raw[i]));
    for (const framework::TraitPlugin* names : plan_.traits) names->AppendTraits(cycle, node, traits);
    auto found = cohorts_.find(traits);
    if (found == cohorts_.end()) {
      Cohort made{.traits = traits, .raw_scores = {}, .nodes = Nodes(Ahead{this}), .members = {}, .by_total = {}};
      for (const std::vector<int64_t>& raw : raw_) made.raw_scores.push_back(raw[i]);
      found = cohorts_.emplace(traits, std::move(made)).first;
    }
    rows_[node.index].cohort = &found->second;
    ++found->second.by_total[rows_[node.index].standing.total];
  }
  // In their order each is entered behind the last, without a search for its place.
  if (sorted.size() > 1) std::ranges::sort(sorted, Ahead{this});
  for (const NodeSlot node : sorted) {
    Row& row = rows_[node.index];
    row.in_cohort = row.cohort->nodes.insert(row.cohort->nodes.end(), node);
    row.cohort->members.Insert(node);
  }
}

NodeSlot Ranking::Next(const Cohort& cohort, uint64_t start) const {
  const Standing& best = standing(cohort.first());
  const auto found = cohort.nodes.lower_bound(Place{best, start});
  const bool is_equal = found != cohort.nodes.end() && !best.IsAhead(standing(*found));
  return is_equal ? *found : cohort.first();
}

void Ranking::CopyVerdicts(framework::Candidates& candidates) const {
  for (framework::Candidates::Rejected many : rejected_) {
    if (many.count == 0) continue;
    many.verdict.reason = candidates.reasons().Intern(reasons_.reasons(many.verdict.reason));
    candidates.AddRejected(std::move(many));
  }
}

}  // namespace berth::scheduler
