// SPDX-License-Identifier: Apache-2.0
#include "framework/plugin.h"

namespace berth::framework {

Status PreFilterPlugin::AddPod(Cycle&, const cluster::PodInfo&, NodeSlot) const { return Status::Success(); }
Status PreFilterPlugin::RemovePod(Cycle&, const cluster::PodInfo&, NodeSlot) const { return Status::Success(); }

void FilterPlugin::Filter(Cycle& cycle, Candidates& candidates) const {
  candidates.RejectEach([&](NodeSlot slot) -> Verdict {
    const Status status = FilterNode(cycle, slot);
    if (status.ok()) return {};
    if (!status.is_rejected()) candidates.SetError(status);
    return {.code = status.code, .reason = candidates.reasons().Intern(status.reasons)};
  });
}

Status FilterPlugin::FilterNode(Cycle&, NodeSlot) const { return Status::Success(); }

Status ScorePlugin::Score(Cycle& cycle, std::span<const NodeSlot> nodes, Scores& scores) const {
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    values[i] = 0;
    Status status = ScoreNode(cycle, nodes[i], values[i]);
    if (!status.ok()) return status;
  }
  return Status::Success();
}

Status ScorePlugin::ScoreNode(Cycle&, NodeSlot, int64_t& score) const {
  score = 0;
  return Status::Success();
}

Status ScorePlugin::Normalize(Cycle&, std::span<const NodeSlot>, Scores&) const { return Status::Success(); }

}  // namespace berth::framework
