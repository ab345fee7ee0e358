// SPDX-License-Identifier: Apache-2.0
// Coscheduling: pods of a group (api::CoscheduledGroup) are bound together or not at all, each scheduled by itself.
//
// A pod whose group is not complete is turned down at once. One that got a node holds it and waits on permit; the one
// that makes up the number lets the others go. If a pod finds no node, or one that waits is given up, all that wait are
// given up too, and the group lets others go first. It behaves as the plugin of that name in the scheduler plugins of
// kubernetes-sigs. Off unless a profile names it, which must then use it for the order of the queue too.
//
// Thread: core. Cost: one look at every node where a group asks for minResources, once in a while.

#pragma once

#include "framework/events.h"
#include "framework/registry.h"

namespace berth::plugins {

class Coscheduling final : public framework::Plugin,
                           public framework::QueueSortPlugin,
                           public framework::PreFilterPlugin,
                           public framework::PostFilterPlugin,
                           public framework::ReservePlugin,
                           public framework::PermitPlugin,
                           public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "Coscheduling";

  struct Args {
    static constexpr std::string_view kKind = "CoschedulingArgs";

    int64_t permit_waiting_time_seconds = 60;
    int64_t pod_group_backoff_seconds = 0;
    // A group of which no more than this part is missing is not given up because of one pod that does not fit.
    int32_t pod_group_reject_percentage = 10;

    static constexpr auto Fields() {
      return std::array{framework::Member<&Args::permit_waiting_time_seconds>("permitWaitingTimeSeconds"),
                        framework::Member<&Args::pod_group_backoff_seconds>("podGroupBackoffSeconds"),
                        framework::Member<&Args::pod_group_reject_percentage>("podGroupRejectPercentage")};
    }
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  explicit Coscheduling(Args args) : args_(args) {}

  std::string_view name() const override { return kName; }
  // By priority, and among equals by the age of the group, or since when it has been given up.
  bool Less(const framework::QueuedPod& a, const framework::QueuedPod& b,
            const cluster::Cluster& cluster) const override;
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  framework::PostFilterResult PostFilter(framework::Cycle& cycle, const framework::Profile& profile,
                                         const framework::Diagnosis& diagnosis,
                                         framework::Effects& effects) const override;
  framework::Status Reserve(framework::Cycle&, framework::NodeSlot) const override {
    return framework::Status::Success();
  }
  void Unreserve(framework::Cycle& cycle, framework::NodeSlot node, framework::Effects& effects) const override;
  framework::PermitResult Permit(framework::Cycle& cycle, framework::NodeSlot node) const override;
  std::vector<framework::EventRegistration> EventsToRegister() const override;

 private:
  static framework::Status CheckMembers(const framework::Cycle& cycle, const api::CoscheduledGroup& object,
                                        const cluster::CoscheduledPods::Group& group);
  framework::Status CheckRoom(const framework::Cycle& cycle, const api::CoscheduledGroup& object,
                              cluster::CoscheduledPods::Group& group) const;
  // Nobody of the pod's group goes on waiting.
  void GiveUp(framework::Cycle& cycle, std::string_view why) const;

  Args args_;
};

}  // namespace berth::plugins
