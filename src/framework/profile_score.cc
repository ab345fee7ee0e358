// SPDX-License-Identifier: Apache-2.0
// How a profile scores nodes: PreScore, Score, Normalize, the weighted sum.

#include <fmt/format.h>

#include <algorithm>

#include "framework/profile.h"

namespace berth::framework {
namespace {

Status Failed(std::string_view stage, const Plugin& plugin, const Status& status) {
  Status error =
      Status::Error(fmt::format("{}: plugin \"{}\" failed with: {}", stage, plugin.name(), status.message()));
  error.plugin = plugin.name();
  return error;
}

// The first score that is out of range, or nothing. Scores by slot are bytes from 0 to 100.
std::optional<int64_t> OutOfRange(const Scores& scores) {
  const auto bad = [](int64_t score) { return score < 0 || score > kMaxNodeScore; };
  if (scores.form() == Scores::Form::kUniform && scores.size() > 0 && bad(scores.uniform_value()))
    return scores.uniform_value();
  if (scores.form() != Scores::Form::kArray) return std::nullopt;
  const auto it = std::ranges::find_if(scores.values(), bad);
  return it == scores.values().end() ? std::nullopt : std::optional(*it);
}

// Adds scores times weight to the totals; what is the same for all nodes goes into `base`.
void AddWeighted(const Scores& scores, int64_t weight, std::span<const NodeSlot> nodes, std::vector<int64_t>& totals,
                 int64_t& base) {
  switch (scores.form()) {
    case Scores::Form::kUniform: base += scores.uniform_value() * weight; return;
    case Scores::Form::kArray: {
      const int64_t* values = scores.values().data();
      for (size_t i = 0; i < totals.size(); ++i) totals[i] += values[i] * weight;
      return;
    }
    case Scores::Form::kBySlot: {
      const uint8_t* by_slot = scores.by_slot();
      for (size_t i = 0; i < totals.size(); ++i) totals[i] += by_slot[nodes[i].index] * weight;
      return;
    }
  }
}

}  // namespace

Status Profile::RunScores(Cycle& cycle, std::span<const NodeSlot> nodes, ScoreBoard& board) const {
  Status status = Observe(RunPoint::kPreScore, [&] { return PreScore(cycle, nodes); });
  if (!status.ok()) return status;
  return Observe(RunPoint::kScore, [&] { return Score(cycle, nodes, board); });
}

Status Profile::PreScore(Cycle& cycle, std::span<const NodeSlot> nodes, const Plugin* of) const {
  for (const auto& [plugin, point] : pre_score_) {
    if (of != nullptr && plugin != of) continue;
    const auto& run = *point;
    const Status status = ObservePlugin(*plugin, RunPoint::kPreScore, 1, [&] { return run.PreScore(cycle, nodes); });
    if (status.is_skip()) {
      cycle.skip_score()[plugin->index()] = 1;
    } else if (!status.ok()) {
      return Status::Error(fmt::format("running PreScore plugin \"{}\": {}", plugin->name(), status.message()));
    }
  }
  return Status::Success();
}

Status Profile::RunScore(const ScoreEntry& entry, Cycle& cycle, std::span<const NodeSlot> nodes, Scores& scores) const {
  const Plugin& plugin = *entry.at.plugin;
  const Status status = ObservePlugin(plugin, RunPoint::kScore, nodes.size(), [&] {
    return entry.error.empty() ? entry.at.point->Score(cycle, nodes, scores) : Status::Error(std::string(entry.error));
  });
  return status.ok() ? Status::Success() : Failed("running Score plugins", plugin, status);
}

Status Profile::RunNormalize(const ScoreEntry& entry, Cycle& cycle, std::span<const NodeSlot> nodes,
                             Scores& scores) const {
  const Plugin& plugin = *entry.at.plugin;
  const Status status =
      ObservePlugin(plugin, RunPoint::kNormalize, 1, [&] { return entry.at.point->Normalize(cycle, nodes, scores); });
  if (!status.ok()) return Failed("running Normalize on Score plugins", plugin, status);
  if (const std::optional<int64_t> bad = OutOfRange(scores)) {
    return Status::Error(
        fmt::format("plugin \"{}\" returns an invalid score {}, it should in the range of [0, {}] after normalizing",
                    plugin.name(), *bad, kMaxNodeScore));
  }
  return Status::Success();
}

Status Profile::Score(Cycle& cycle, std::span<const NodeSlot> nodes, ScoreBoard& board) const {
  board.plugin_count = 0;
  board.totals.assign(nodes.size(), 0);
  int64_t base = 0;
  for (const ScoreEntry& entry : score_) {
    const Plugin* plugin = entry.at.plugin;
    if (cycle.skip_score()[plugin->index()]) continue;
    PluginScores& column = board.Add(*plugin, entry.weight);
    Status status = RunScore(entry, cycle, nodes, column.scores);
    if (status.ok()) status = RunNormalize(entry, cycle, nodes, column.scores);
    if (!status.ok()) return status;
    AddWeighted(column.scores, entry.weight, nodes, board.totals, base);
  }
  if (base != 0) {
    for (int64_t& total : board.totals) total += base;
  }
  return Status::Success();
}

void Profile::NarrowTie(Cycle& cycle, std::vector<NodeSlot>& nodes) const {
  for (const ScoreEntry& entry : score_) {
    if (nodes.size() == 1) return;
    if (!cycle.skip_score()[entry.at.plugin->index()]) entry.at.point->NarrowTie(cycle, nodes);
  }
}

}  // namespace berth::framework
