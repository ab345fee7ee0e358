// SPDX-License-Identifier: Apache-2.0
// NodeResourcesLeastAllocated, NodeResourcesMostAllocated, RequestedToCapacityRatio: rank nodes by how full they would
// be with the pod on them.
//
// They are the scoring strategies of today's NodeResourcesFit as plugins of their own. What is requested of cpu and
// memory is 100m and 200Mi where a container does not say.
//
// Thread: core. Cost: one pass over a few columns.

#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "framework/args/resource_spec.h"
#include "framework/registry.h"
#include "plugins/helpers/broken_linear.h"
#include "plugins/legacy/release.h"

namespace berth::plugins::legacy {

enum class AllocationStrategy : uint8_t { kLeastAllocated, kMostAllocated, kRequestedToCapacityRatio };

class ResourceAllocation final : public framework::Plugin, public framework::ScorePlugin {
 public:
  static constexpr std::string_view NameOf(AllocationStrategy strategy) {
    switch (strategy) {
      case AllocationStrategy::kLeastAllocated: return "NodeResourcesLeastAllocated";
      case AllocationStrategy::kMostAllocated: return "NodeResourcesMostAllocated";
      case AllocationStrategy::kRequestedToCapacityRatio: return "RequestedToCapacityRatio";
    }
    return {};
  }

  // Of kLeastAllocated and kMostAllocated.
  struct Args {
    std::vector<framework::ResourceSpec> resources = framework::DefaultResources();

    static constexpr auto Fields() { return std::array{framework::Member<&Args::resources>("resources")}; }
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };
  // Of kRequestedToCapacityRatio.
  struct RatioArgs {
    std::vector<framework::UtilizationShapePoint> shape;
    std::vector<framework::ResourceSpec> resources;

    static constexpr auto Fields() {
      return std::array{framework::Member<&RatioArgs::shape>("shape"),
                        framework::Member<&RatioArgs::resources>("resources")};
    }
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const RatioArgs&) const = default;
  };

  // Fails with upstream's text if weights or the shape are not valid, and in v1.22 if there are no arguments.
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context,
                                                           AllocationStrategy strategy, Release release);
  // `shape` is that of kRequestedToCapacityRatio. REQUIRES: valid arguments.
  ResourceAllocation(AllocationStrategy strategy, Release release,
                     const std::vector<framework::ResourceSpec>& resources,
                     const std::vector<framework::UtilizationShapePoint>& shape = {});

  std::string_view name() const override { return NameOf(strategy_); }
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;

 private:
  int64_t ScoreOf(int64_t requested, int64_t capacity) const;

  AllocationStrategy strategy_;
  Release release_;
  std::vector<framework::ResourceSpec> resources_;  // No name twice.
  std::optional<BrokenLinear> shape_;
};

}  // namespace berth::plugins::legacy
