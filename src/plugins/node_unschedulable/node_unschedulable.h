// SPDX-License-Identifier: Apache-2.0
// NodeUnschedulable: keeps pods off cordoned nodes unless they tolerate the taint of cordoned nodes.

#pragma once

#include <memory>

#include "framework/registry.h"

namespace berth::plugins {

class NodeUnschedulable final : public framework::Plugin,
                                public framework::PreFilterPlugin,
                                public framework::FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeUnschedulable";
  static constexpr std::string_view kReason = "node(s) were unschedulable";
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);

  explicit NodeUnschedulable(bool comparison_operators) : comparison_operators_(comparison_operators) {}

  std::string_view name() const override { return kName; }
  // Has nothing to prepare; a configuration may name the plugin at this point.
  framework::PreFilterResult PreFilter(framework::Cycle&) const override { return {}; }
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;

 private:
  bool comparison_operators_;  // TaintTolerationComparisonOperators.
};

}  // namespace berth::plugins
