// SPDX-License-Identifier: Apache-2.0
// Predicates about the node alone: cordoned nodes, taints, labels.
//
// Preemption cannot help against any of them.

#pragma once

#include <memory>

#include "framework/registry.h"
#include "plugins/legacy/node_label.h"
#include "plugins/legacy/v116/algorithm.h"

namespace berth::plugins::legacy::v116 {

class CheckNodeUnschedulable final : public Predicate {
 public:
  static constexpr std::string_view kReason = "node(s) were unschedulable";

  using Predicate::Predicate;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
};

class PodToleratesNodeTaints final : public Predicate {
 public:
  static constexpr std::string_view kReason = "node(s) had taints that the pod didn't tolerate";

  using Predicate::Predicate;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
};

// Wants labels to be on the node, or wants them not to be, whatever their values.
class CheckNodeLabelPresence final : public Predicate {
 public:
  static constexpr std::string_view kKind = "CheckNodeLabelPresence";
  static constexpr std::string_view kReason = "node(s) didn't have the requested labels";

  using Args = NodeLabel::Args;
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);
  CheckNodeLabelPresence(std::string_view name, std::vector<std::string> present, std::vector<std::string> absent)
      : Predicate(name), present_(std::move(present)), absent_(std::move(absent)) {}

  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;

 private:
  std::vector<std::string> present_;
  std::vector<std::string> absent_;
};

}  // namespace berth::plugins::legacy::v116
