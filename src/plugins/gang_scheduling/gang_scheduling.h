// SPDX-License-Identifier: Apache-2.0
// GangScheduling: pods of a group are scheduled together or not at all.
//
// A group enters the queue when as many of its pods are known as must be placed. In its attempt the plugin says when
// that number is reached, or out of reach. Pods that got a node wait on permit for the others. Groups without a number
// (basic) need one pod; in a tree of groups every composite group needs a number of children in turn.
//
// Beyond upstream, and off by default: places may be searched for, in so many steps, for a group whose pods do not fit
// in their order.
//
// Thread: core.

#pragma once

#include <array>
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
  static constexpr int64_t kSearchStepsMax = 1'000'000;

  struct Args {
    static constexpr bool kOptional = true;  // Upstream has none.

    int64_t search_steps = 0;

    static constexpr auto Fields() { return std::array{framework::Member<&Args::search_steps>("searchSteps")}; }
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);
  explicit GangScheduling(bool composite, size_t search_steps = 0)
      : composite_(composite), search_steps_(search_steps) {}

  std::string_view name() const override { return kName; }
  framework::Status PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const override;
  framework::PermitResult Permit(framework::Cycle& cycle, cluster::NodeSlot node) const override;
  framework::Status PlacementFeasible(const framework::GroupNode& group,
                                      const framework::PlacementProgress& progress) const override;
  size_t search_steps() const override { return search_steps_; }

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  bool composite_;  // Gate CompositePodGroup.
  size_t search_steps_;
};

}  // namespace berth::plugins
