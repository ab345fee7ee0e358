// SPDX-License-Identifier: Apache-2.0
// Priorities by how full a node would be: LeastRequestedPriority, MostRequestedPriority, BalancedResourceAllocation and
// RequestedToCapacityRatioPriority.
//
// Containers without a cpu (memory) request count as 100m (200 MiB).
//
// Cost: only nodes that changed since pods of the same size were last scored are looked at.

#pragma once

#include <memory>
#include <vector>

#include "framework/registry.h"
#include "plugins/helpers/broken_linear.h"
#include "plugins/legacy/resource_allocation.h"
#include "plugins/legacy/v116/algorithm.h"

namespace berth::plugins::legacy::v116 {

class ResourcePriority : public Priority {
 public:
  ResourcePriority(std::string_view name, std::vector<framework::ResourceSpec> resources)
      : Priority(name), resources_(std::move(resources)) {}

  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;

 protected:
  // One resource on one node, as it would be with the pod.
  struct Use {
    int64_t requested = 0;
    int64_t capacity = 0;
    int64_t weight = 1;
  };

 private:
  // One use per resource, in the order of the resources.
  virtual int64_t ScoreOf(std::span<const Use> uses) const = 0;

  std::vector<framework::ResourceSpec> resources_;
};

class LeastRequestedPriority final : public ResourcePriority {
 public:
  explicit LeastRequestedPriority(std::string_view name);

 private:
  int64_t ScoreOf(std::span<const Use> uses) const override;
};

class MostRequestedPriority final : public ResourcePriority {
 public:
  explicit MostRequestedPriority(std::string_view name);

 private:
  int64_t ScoreOf(std::span<const Use> uses) const override;
};

class BalancedResourceAllocation final : public ResourcePriority {
 public:
  explicit BalancedResourceAllocation(std::string_view name);

 private:
  int64_t ScoreOf(std::span<const Use> uses) const override;
};

class RequestedToCapacityRatioPriority final : public ResourcePriority {
 public:
  static constexpr std::string_view kKind = "RequestedToCapacityRatioPriority";

  using Args = ResourceAllocation::RatioArgs;
  // Without arguments: the emptier the better.
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);
  RequestedToCapacityRatioPriority(std::string_view name, Args args);

 private:
  int64_t ScoreOf(std::span<const Use> uses) const override;

  BrokenLinear shape_;
};

}  // namespace berth::plugins::legacy::v116
