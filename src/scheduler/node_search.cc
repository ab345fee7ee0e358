// SPDX-License-Identifier: Apache-2.0
#include "scheduler/node_search.h"

#include <algorithm>

namespace berth::scheduler {
namespace {

constexpr int32_t kMinFeasibleNodes = 100;
constexpr int32_t kMinPercentage = 5;

}  // namespace

int32_t FeasibleNodesToFind(int32_t percentage, int32_t node_count) {
  if (node_count < kMinFeasibleNodes) return node_count;
  if (percentage == 0) percentage = std::max(50 - node_count / 125, kMinPercentage);
  const int64_t wanted = int64_t{node_count} * percentage / 100;
  return static_cast<int32_t>(std::max<int64_t>(wanted, kMinFeasibleNodes));
}

void NodeSearch::Run(const framework::Profile& profile, framework::Cycle& cycle, std::span<const NodeSlot> nodes) {
  framework::Candidates& candidates = cycle.candidates();
  const std::optional<int32_t> percentage =
      profile.percentage_of_nodes_to_score() ? profile.percentage_of_nodes_to_score() : percentage_;
  if (!percentage) {
    candidates.Restart(nodes);
    profile.RunFilters(cycle, candidates);
  } else {
    const int32_t count = static_cast<int32_t>(nodes.size());
    // Without scores the first node that fits is as good as any.
    const int32_t limit = profile.has_scores() || wants_choice_ ? FeasibleNodesToFind(*percentage, count) : 1;
    RunSampled(profile, cycle, nodes, static_cast<size_t>(limit));
  }
  const size_t all = cycle.order().size();
  next_start_ = (next_start_ + candidates.nodes().size() + candidates.rejected().size()) % all;
}

void NodeSearch::RunSampled(const framework::Profile& profile, framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                            size_t limit) {
  framework::Candidates& found = cycle.candidates();
  found.Restart({});
  std::vector<NodeSlot> window;
  for (size_t done = 0; done < nodes.size();) {
    // Nodes are judged in windows, since filters work on many at once; what lies behind the node that ends the search
    // is dropped.
    window.clear();
    const size_t end = std::min(nodes.size(), done + std::max<size_t>(limit, 64));
    for (size_t i = done; i < end; ++i) window.push_back(nodes[(next_start_ + i) % nodes.size()]);
    done = end;
    chunk_.Reset(window, cycle.nodes().slot_limit());
    profile.RunFilters(cycle, chunk_);
    for (const NodeSlot slot : window) {
      const framework::Verdict& verdict = chunk_.verdict(slot);
      if (verdict.code != framework::StatusCode::kSuccess) {
        found.set_verdict(
            slot, {verdict.code, verdict.plugin, found.reasons().Intern(chunk_.reasons().reasons(verdict.reason))});
      } else if (found.nodes().size() == limit) {
        return;
      } else {
        found.Append(slot);
      }
    }
    if (!chunk_.error().ok()) {
      found.SetError(chunk_.error());
      return;
    }
  }
}

}  // namespace berth::scheduler
