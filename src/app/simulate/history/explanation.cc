// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/history/explanation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace berth::simulate {
namespace {

using cluster::NodeSlot;
using scheduler::Decision;

// The smallest `limit` names, sorted.
std::vector<std::string> Names(std::span<const NodeSlot> slots,
                               const cluster::NodeTable &nodes, size_t limit) {
  std::vector<NodeSlot> first(std::min(limit, slots.size()));
  std::ranges::partial_sort_copy(
      slots, first, {}, [&](NodeSlot slot) { return nodes.name[slot.index]; },
      [&](NodeSlot slot) { return nodes.name[slot.index]; });
  std::vector<std::string> names;
  for (const NodeSlot slot : first)
    names.push_back(nodes.name[slot.index]);
  return names;
}

// Groups the nodes that were looked at and turned down.
void AddVerdicts(const framework::Profile &profile,
                 const framework::Candidates &candidates,
                 const cluster::NodeTable &nodes, size_t limit,
                 std::vector<Rejection> &rejections) {
  std::map<std::pair<uint8_t, framework::ReasonId>, std::vector<NodeSlot>>
      groups;
  for (const NodeSlot slot : candidates.rejected()) {
    const framework::Verdict &verdict = candidates.verdict(slot);
    if (verdict.code == framework::StatusCode::kSuccess)
      continue;
    groups[{verdict.plugin, verdict.reason}].push_back(slot);
  }
  for (const auto &[key, slots] : groups) {
    const auto &[plugin, reason] = key;
    rejections.push_back(
        {.plugin = plugin == framework::kNoPlugin
                       ? ""
                       : std::string(profile.plugin(plugin).name()),
         .reasons = candidates.reasons().reasons(reason),
         .count = slots.size(),
         .nodes = Names(slots, nodes, limit)});
  }
}

void AddRejections(const framework::Profile &profile, const Decision &decision,
                   const cluster::NodeTable &nodes, size_t limit,
                   Explanation &explanation) {
  const framework::Diagnosis &diagnosis = decision.diagnosis;
  explanation.node_count = diagnosis.node_count;
  if (diagnosis.candidates == nullptr || decision.nominated_fast_path)
    return;
  std::vector<Rejection> &rejections = explanation.rejections;
  AddVerdicts(profile, *diagnosis.candidates, nodes, limit, rejections);
  size_t looked_at = decision.feasible.size();
  for (const Rejection &rejection : rejections)
    looked_at += rejection.count;
  if (looked_at < diagnosis.node_count) {
    rejections.push_back({.plugin = diagnosis.absent.plugin,
                          .reasons = diagnosis.absent.reasons,
                          .count = diagnosis.node_count - looked_at,
                          .nodes = {}});
  }
  std::ranges::sort(rejections, [](const Rejection &a, const Rejection &b) {
    return std::tie(b.count, a.plugin, a.reasons) <
           std::tie(a.count, b.plugin, b.reasons);
  });
}

void AddScores(const Decision &decision, const cluster::NodeTable &nodes,
               size_t limit, Explanation &explanation) {
  if (decision.scores == nullptr)
    return;
  const framework::ScoreBoard &board = *decision.scores;
  const std::span<const framework::PluginScores> columns =
      std::span(board.plugins).first(board.plugin_count);
  for (const framework::PluginScores &column : columns) {
    explanation.score_plugins.push_back(
        {std::string(column.plugin->name()), column.weight});
  }
  std::vector<size_t> order(decision.feasible.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto name = [&](size_t i) -> const std::string & {
    return nodes.name[decision.feasible[i].index];
  };
  // The chosen node first among equals.
  const auto rank = [&](size_t i) {
    return std::make_tuple(-board.totals[i],
                           decision.feasible[i] != decision.node,
                           std::string_view(name(i)));
  };
  const size_t shown = std::min(limit, order.size());
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(shown), {}, rank);
  for (size_t k = 0; k < shown; ++k) {
    const size_t i = order[k];
    NodeScore &row = explanation.scores.emplace_back(
        NodeScore{name(i), board.totals[i], {}});
    for (const framework::PluginScores &column : columns)
      row.by_plugin.push_back(column.scores[i] * column.weight);
  }
}

void AddPreemption(const framework::Cycle *cycle, const Decision &decision,
                   const cluster::NodeTable &nodes, size_t limit,
                   Explanation &explanation) {
  if (!decision.post_filter)
    return;
  explanation.preemption = decision.post_filter->status.message();
  const framework::PreemptionReport *report = cycle->preemption_report();
  if (report == nullptr)
    return;
  explanation.option_count = report->candidates.size();
  std::vector<PreemptionOption> &options = explanation.options;
  for (size_t i = 0; i < report->candidates.size(); ++i) {
    const framework::PreemptionCandidate &candidate = report->candidates[i];
    PreemptionOption &option = options.emplace_back();
    option.node = nodes.name[candidate.node.index];
    for (const cluster::PodPtr &victim : candidate.victims)
      option.victims.push_back(victim->full_name());
    option.pdb_violations = static_cast<size_t>(candidate.pdb_violations);
    option.is_chosen = report->nominated == i;
  }
  std::ranges::sort(
      options, [](const PreemptionOption &a, const PreemptionOption &b) {
        return std::tie(b.is_chosen, a.node) < std::tie(a.is_chosen, b.node);
      });
  if (options.size() > limit)
    options.resize(limit);
}

} // namespace

Explanation Explain(const cluster::Cluster &cluster,
                    const framework::Profile &profile,
                    const framework::Cycle *cycle, const Decision &decision,
                    size_t limit) {
  const cluster::NodeTable &nodes = cluster.nodes();
  Explanation explanation;
  AddRejections(profile, decision, nodes, limit, explanation);
  explanation.is_nominated_node = decision.nominated_fast_path;
  explanation.feasible_count = decision.feasible.size();
  explanation.tied_count = decision.best.size();
  explanation.tied = Names(decision.best, nodes, limit);
  if (decision.outcome == scheduler::Outcome::kScheduled)
    explanation.chosen = nodes.name[decision.node.index];
  AddScores(decision, nodes, limit, explanation);
  AddPreemption(cycle, decision, nodes, limit, explanation);
  return explanation;
}

} // namespace berth::simulate
