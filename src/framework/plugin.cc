// SPDX-License-Identifier: Apache-2.0
#include "framework/plugin.h"

#include <algorithm>
#include <utility>

namespace berth::framework {
namespace {

// From here on handing nodes out to other threads costs less than it gains, if a node takes 0.1 us or more
// (app/scheduler/parallel_bench.cc).
constexpr size_t kParallelNodes = 500;

template <class Point>
bool IsParallel(const Point& point, const Cycle& cycle, std::span<const NodeSlot> nodes) {
  return cycle.parallelizer() != nullptr && nodes.size() >= kParallelNodes && point.parallel();
}

// Scores pieces until one fails; the status of the first that does.
template <class Score>
Status ScoreInParallel(Parallelizer& parallelizer, size_t count, Score score) {
  std::vector<Status> statuses(count);
  parallelizer.Until(count, [&](size_t i) {
    statuses[i] = score(i);
    return statuses[i].ok();
  });
  const auto failed = std::ranges::find_if_not(statuses, &Status::ok);
  return failed == statuses.end() ? Status::Success() : std::move(*failed);
}

}  // namespace

Status PreFilterPlugin::AddPod(Cycle&, const cluster::PodInfo&, NodeSlot) const { return Status::Success(); }
Status PreFilterPlugin::RemovePod(Cycle&, const cluster::PodInfo&, NodeSlot) const { return Status::Success(); }

void FilterPlugin::Filter(Cycle& cycle, Candidates& candidates) const {
  const auto judge = [&](const Status& status) -> Verdict {
    if (status.ok()) return {};
    if (!status.is_rejected()) candidates.SetError(status);
    return {.code = status.code, .reason = candidates.reasons().Intern(status.reasons)};
  };
  const std::span<const NodeSlot> nodes = candidates.nodes();
  if (!IsParallel(*this, cycle, nodes)) {
    return candidates.RejectEach([&](NodeSlot slot) { return judge(FilterNode(cycle, slot)); });
  }
  std::vector<Status> statuses(nodes.size());
  cycle.parallelizer()->Until(nodes.size(), [&](size_t i) {
    statuses[i] = FilterNode(cycle, nodes[i]);
    return true;
  });
  // In the order of the nodes, so that reasons get the ids that they get from one thread.
  candidates.RejectEach([&, next = statuses.begin()](NodeSlot) mutable { return judge(*next++); });
}

Status FilterPlugin::FilterNode(Cycle&, NodeSlot) const { return Status::Success(); }

Status ScorePlugin::Score(Cycle& cycle, std::span<const NodeSlot> nodes, Scores& scores) const {
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  const auto score = [&](size_t i) {
    values[i] = 0;
    return ScoreNode(cycle, nodes[i], values[i]);
  };
  if (IsParallel(*this, cycle, nodes)) return ScoreInParallel(*cycle.parallelizer(), nodes.size(), score);
  for (size_t i = 0; i < nodes.size(); ++i) {
    Status status = score(i);
    if (!status.ok()) return status;
  }
  return Status::Success();
}

Status ScorePlugin::ScoreNode(Cycle&, NodeSlot, int64_t& score) const {
  score = 0;
  return Status::Success();
}

Status ScorePlugin::Normalize(Cycle&, std::span<const NodeSlot>, Scores&) const { return Status::Success(); }

void ScorePlugin::NarrowTie(Cycle&, std::vector<NodeSlot>&) const {}

void ScorePlugin::FineScores(Cycle&, std::span<const NodeSlot>, std::span<FineMean> scores) const {
  std::ranges::fill(scores, FineMean());
}

}  // namespace berth::framework
