// SPDX-License-Identifier: Apache-2.0
// NodeResourcesBalancedAllocation prefers nodes whose resource usage the pod makes more even.
//
// Balance is 100 times one minus the standard deviation of the used fractions. The score compares the balance with the
// pod to the balance without it: 75 means no change, 100 the best improvement. Pods that request nothing are not
// scored. The score is local to a node.
//
// Thread: core.

#pragma once

#include <memory>

#include "framework/args/resource_spec.h"
#include "framework/registry.h"

namespace berth::plugins {

class NodeResourcesBalancedAllocation final : public framework::Plugin,
                                              public framework::PreScorePlugin,
                                              public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeResourcesBalancedAllocation";

  struct Args {
    static constexpr std::string_view kKind = "NodeResourcesBalancedAllocationArgs";

    std::vector<framework::ResourceSpec> resources = framework::DefaultResources();

    static constexpr auto Fields() { return std::array{framework::Member<&Args::resources>("resources")}; }
    void Complete(const framework::FeatureGates&) { framework::CompleteResources(resources); }
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  explicit NodeResourcesBalancedAllocation(Args args) : args_(std::move(args)) {}

  std::string_view name() const override { return kName; }
  framework::Status PreScore(framework::Cycle& cycle, std::span<const framework::NodeSlot> nodes) const override;
  framework::Status Score(framework::Cycle& cycle, std::span<const framework::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Reach score_reach(const framework::Cycle& cycle) const override;
  bool normalizes() const override { return false; }

 private:
  Args args_;
};

}  // namespace berth::plugins
