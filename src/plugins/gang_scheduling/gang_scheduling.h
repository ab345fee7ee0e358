// SPDX-License-Identifier: Apache-2.0
// GangScheduling: pods of a group are scheduled together or not at all.
//
// A group enters the queue when as many of its pods are known as must be placed. In its attempt the plugin says when
// that number is reached, or out of reach. Pods that got a node wait on permit for the others. Groups without a number
// (basic) need one pod; in a tree of groups every composite group needs a number of children in turn.
//
// Thread: core.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "framework/events.h"
#include "framework/group.h"
#include "framework/registry.h"

namespace berth::plugins {

class GangScheduling final : public framework::Plugin,
                             public framework::PreEnqueuePlugin,
                             public framework::PermitPlugin,
                             public framework::PlacementFeasiblePlugin,
                             public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "GangScheduling";
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);
  explicit GangScheduling(bool composite) : composite_(composite) {}

  std::string_view name() const override { return kName; }
  framework::Status PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const override;
  framework::PermitResult Permit(framework::Cycle& cycle, cluster::NodeSlot node) const override;
  framework::Status PlacementFeasible(const framework::GroupNode& group,
                                      const framework::PlacementProgress& progress) const override;

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  bool composite_;  // Gate CompositePodGroup.
};

}  // namespace berth::plugins
