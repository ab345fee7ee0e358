// SPDX-License-Identifier: Apache-2.0
// ExtenderCalls: the part that extenders have in one attempt: they filter nodes, score them and review preemption.
//
// Order, texts and the meaning of every answer are upstream's. A status of Wait means that an answer is missing and the
// attempt is to be made again (see ExtenderDialog). On a repeated attempt a node that no longer fits is not taken up
// again, whatever the extender said about it, and one that was not asked about is left out.
//
// Thread: core.

#pragma once

#include <memory>
#include <vector>

#include "framework/cycle.h"
#include "scheduler/decision.h"
#include "scheduler/extender_dialog.h"

namespace berth::scheduler {

// Rows for Node objects that extenders returned. As upstream has it, such a node is scored as the object says and as if
// it had no pods.
class ReturnedNodes {
 public:
  NodeSlot Add(cluster::Cluster& cluster, const api::Node& node);
  void Clear(cluster::Cluster& cluster);

 private:
  std::vector<NodeSlot> rows_;
};

class ExtenderCalls final : public framework::PreemptionReview {
 public:
  // What is skipped and what was scored is added to the decision.
  ExtenderCalls(const Extenders& extenders, ExtenderDialog& dialog, ReturnedNodes& returned, Decision& decision)
      : extenders_(extenders), dialog_(dialog), returned_(returned), decision_(decision) {}

  // Whether an answer is missing.
  bool waits() const { return dialog_.waits(); }

  using Stage = ExtenderDialog::Stage;
  // Leaves those of `nodes` that pass every interested extender; verdicts on the others go to the diagnosis.
  framework::Status Filter(framework::Cycle& cycle, Stage stage, std::vector<NodeSlot>& nodes);

  // Adds the extenders' scores of `nodes` to the totals. `has_entry` becomes 1 for each node that some extender scored.
  framework::Status Prioritize(framework::Cycle& cycle, std::span<const NodeSlot> nodes, std::vector<int64_t>& totals,
                               std::vector<uint8_t>& has_entry);

  framework::Status Review(framework::Cycle& cycle, std::vector<framework::PreemptionCandidate>& candidates) override;

 private:
  ExtenderDialog::Question NodesQuestion(const framework::Cycle& cycle, const Extender& extender,
                                         const std::string& verb, std::span<const NodeSlot> nodes) const;
  Result<std::vector<NodeSlot>> Passed(framework::Cycle& cycle, const Extender& extender,
                                       const ExtenderDialog::Question& question, const Result<FilterAnswer>& given,
                                       const std::vector<NodeSlot>& nodes);
  void Blame(framework::Cycle& cycle, const FilterAnswer& answer);
  void Skip(const Extender& extender, std::string_view stage, std::string error, std::string node = {});

  const Extenders& extenders_;
  ExtenderDialog& dialog_;
  ReturnedNodes& returned_;
  Decision& decision_;
};

}  // namespace berth::scheduler
