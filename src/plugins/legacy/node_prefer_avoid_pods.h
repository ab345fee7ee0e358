// SPDX-License-Identifier: Apache-2.0
// NodePreferAvoidPods: heeds the wish of nodes, written in an annotation, not to be given the pods of a controller.
//
// Such a node scores 0, every other one 100. The default weight lets this outweigh all other scores.

#pragma once

#include <memory>

#include "framework/registry.h"

namespace berth::plugins::legacy {

class NodePreferAvoidPods final : public framework::Plugin, public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodePreferAvoidPods";
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);

  std::string_view name() const override { return kName; }
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
};

}  // namespace berth::plugins::legacy
