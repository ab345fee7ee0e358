// SPDX-License-Identifier: Apache-2.0
// Priorities by what a node is: its labels, taints, images and annotations.

#pragma once

#include <memory>
#include <string>

#include "framework/registry.h"
#include "plugins/legacy/node_label.h"
#include "plugins/legacy/v116/algorithm.h"
#include "plugins/legacy/v116/image_counts.h"

namespace berth::plugins::legacy::v116 {

// The weights of the pod's preferred node affinity terms that match. Only labels count, not fields.
class NodeAffinityPriority final : public Priority {
 public:
  using Priority::Priority;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Status Normalize(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                              framework::Scores& scores) const override;
};

// The fewer PreferNoSchedule taints that the pod does not tolerate the better.
class TaintTolerationPriority final : public Priority {
 public:
  using Priority::Priority;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Status Normalize(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                              framework::Scores& scores) const override;
};

// The larger the pod's images that the node has, and the more nodes have them, the better: from 23 to 1000 MiB in all.
class ImageLocalityPriority final : public Priority {
 public:
  using Priority::Priority;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;

 private:
  mutable ImageCounts counts_;  // Not what saves work: v1.16 answers by what it saw first.
};

// 0 for a node that asks to be spared the pods of this controller, 10 for others.
class NodePreferAvoidPodsPriority final : public Priority {
 public:
  using Priority::Priority;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
};

// 10 for a node that has a label, or does not have it, 0 for others.
class NodeLabelPriority final : public Priority {
 public:
  static constexpr std::string_view kKind = "NodeLabelPriority";

  using Args = NodeLabel::Args;  // With one preference.
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);
  NodeLabelPriority(std::string_view name, std::string label, bool presence)
      : Priority(name), label_(std::move(label)), presence_(presence) {}
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;

 private:
  std::string label_;
  bool presence_;
};

// 1 for every node.
class EqualPriority final : public Priority {
 public:
  using Priority::Priority;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
};

}  // namespace berth::plugins::legacy::v116
