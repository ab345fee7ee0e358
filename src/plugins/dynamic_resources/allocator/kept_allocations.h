// SPDX-License-Identifier: Apache-2.0
// KeptAllocations: what the search for devices has answered, kept until something changes that the answer depends on.
//
// Pods of one kind ask for the same devices on every node, and between two of them the devices of few nodes change. So
// answers are kept per distinct set of claims and per node, and looked for again where the node or the devices that it
// sees have changed since. Kept are no errors, whose texts name claims, and no searches that were given
// up, each of which is counted. What is kept is exact: it equals a new search, which debug builds check.
//
// Thread: core. Cost: of a kept answer one lookup by the node's name. Claims are dropped, the least recently used
// first, where there would be more than 64 of them, or 50,000 answers in all.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "framework/cycle.h"
#include "plugins/dynamic_resources/allocator/allocator.h"

namespace berth::plugins {

using AllocationPtr = std::shared_ptr<const Allocation>;

// The answers to one question.
class NodeAnswers {
 public:
  explicit NodeAnswers(std::span<const api::ResourceClaim* const> claims);

  // Whether these claims ask for the same.
  bool IsFor(std::span<const api::ResourceClaim* const> claims) const;
  // What AllocateDevices answers. REQUIRES: IsFor(claims).
  AllocationPtr Get(const cluster::Cluster& cluster, cluster::NodeSlot node,
                    std::span<const api::ResourceClaim* const> claims);

 private:
  // What of a claim the search reads.
  struct Asked {
    std::vector<api::DeviceRequest> requests;
    std::vector<api::DeviceConstraint> constraints;
    std::vector<api::DeviceConfiguration> config;
  };
  struct Answer {
    AllocationPtr allocation;               // Null: none is kept.
    std::shared_ptr<const api::Node> node;  // For which it was found.
    uint64_t change = 0;                    // The newest change of devices then.
  };

  std::vector<Asked> asked_;
  std::vector<Answer> answers_;  // By slot.
};

// What DynamicResources keeps from one cycle to the next (Cycle::kept).
class KeptAllocations final : public framework::PluginState {
 public:
  // Of a cluster of so many nodes.
  std::shared_ptr<NodeAnswers> For(std::span<const api::ResourceClaim* const> claims, size_t node_count);

 private:
  std::vector<std::shared_ptr<NodeAnswers>> recent_;  // Most recently used first.
};

}  // namespace berth::plugins
