// SPDX-License-Identifier: Apache-2.0
// SelectorSpread: puts the pods of a service or controller on different nodes and, more so, in different zones.
//
// Which pods belong together is told by the services and the controller of the pod. A pod that says itself how it is to
// be spread (topologySpreadConstraints) is left alone.

#pragma once

#include <memory>

#include "framework/registry.h"
#include "plugins/legacy/release.h"

namespace berth::plugins::legacy {

class SelectorSpread final : public framework::Plugin, public framework::PreScorePlugin, public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "SelectorSpread";
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context, Release release);
  explicit SelectorSpread(Release release) : release_(release) {}

  std::string_view name() const override { return kName; }
  framework::Status PreScore(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes) const override;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Status Normalize(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                              framework::Scores& scores) const override;
  std::string_view without_pre_score() const override {
    return "reading \"PreScoreSelectorSpread\" from cycleState: not found";
  }

 private:
  struct State;

  Release release_;
};

}  // namespace berth::plugins::legacy
