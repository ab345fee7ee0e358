// SPDX-License-Identifier: Apache-2.0
// NodeLabel: keeps pods to nodes that have some labels and do not have others, whatever their values, and prefers nodes
// in the same way.
//
// Filter wants all of its conditions met; Score is the share of preferences that are. Every pod is treated alike.
//
// Cost: one look per distinct set of node labels, then one array read per node.

#pragma once

#include <memory>

#include "framework/registry.h"
#include "plugins/legacy/release.h"

namespace berth::plugins::legacy {

class NodeLabel final : public framework::Plugin, public framework::FilterPlugin, public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeLabel";
  static constexpr std::string_view kReason = "node(s) didn't have the requested labels";

  struct Args {
    std::vector<std::string> present_labels;  // Filter: must be there.
    std::vector<std::string> absent_labels;   // Filter: must not be there.
    std::vector<std::string> present_labels_preference;
    std::vector<std::string> absent_labels_preference;

    static constexpr auto Fields() {
      return std::array{framework::Member<&Args::present_labels>("presentLabels"),
                        framework::Member<&Args::absent_labels>("absentLabels"),
                        framework::Member<&Args::present_labels_preference>("presentLabelsPreference"),
                        framework::Member<&Args::absent_labels_preference>("absentLabelsPreference")};
    }
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  // Fails with upstream's text if a label is to be both there and not there, and in v1.22 if there are no arguments.
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context, Release release);
  explicit NodeLabel(Args args) : args_(std::move(args)) {}

  std::string_view name() const override { return kName; }
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;

 private:
  Args args_;
};

}  // namespace berth::plugins::legacy
