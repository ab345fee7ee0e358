// SPDX-License-Identifier: Apache-2.0
// DynamicResources: devices for pods with resource claims.
//
// A claim that is allocated can be used on some nodes; for one that is not, devices are looked for on every node
// (allocator/allocator.h). When a node is chosen, the devices count as allocated, and before the pod is bound the
// claims are written, one after the other: allocation and reservation for the pod. Devices with binding conditions are
// waited for. An extended resource behind which a DeviceClass stands is served by a claim that the scheduler makes.

#pragma once

#include <memory>

#include "framework/events.h"
#include "framework/group.h"
#include "framework/registry.h"
#include "plugins/dynamic_resources/dynamic_resources_state.h"

namespace berth::plugins {

class DynamicResources final : public framework::Plugin,
                               public framework::PreEnqueuePlugin,
                               public framework::PreFilterPlugin,
                               public framework::FilterPlugin,
                               public framework::PostFilterPlugin,
                               public framework::PodGroupPostFilterPlugin,
                               public framework::ScorePlugin,
                               public framework::ReservePlugin,
                               public framework::PreBindPlugin,
                               public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "DynamicResources";

  struct Args {
    static constexpr std::string_view kKind = "DynamicResourcesArgs";
    static constexpr std::string_view kMissing = "got args of type <nil>, want *DynamicResourcesArgs";
    static constexpr Duration kDefaultFilterTimeout = Seconds(10);
    static constexpr Duration kDefaultBindingTimeout = Seconds(600);

    std::optional<Duration> filter_timeout;   // Absent or zero: no limit.
    std::optional<Duration> binding_timeout;  // Absent: kDefaultBindingTimeout.

    static constexpr auto Fields() {
      return std::array{framework::Member<&Args::filter_timeout>("filterTimeout"),
                        framework::Member<&Args::binding_timeout>("bindingTimeout")};
    }
    void Complete(const framework::FeatureGates& gates);
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);

  struct Gates {
    bool group_claims = false;  // DRAWorkloadResourceClaims.
    bool placements = false;    // TopologyAwareWorkloadScheduling.
  };
  explicit DynamicResources(Duration binding_timeout = Args::kDefaultBindingTimeout)
      : DynamicResources(binding_timeout, Gates()) {}
  DynamicResources(Duration binding_timeout, Gates gates) : binding_timeout_(binding_timeout), gates_(gates) {}

  std::string_view name() const override { return kName; }
  bool skips_resizes() const override { return true; }
  // A pod whose claims are not there yet has to wait.
  framework::Status PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const override;
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  framework::Status FilterNode(framework::Cycle& cycle, cluster::NodeSlot node) const override;
  std::string_view without_pre_filter() const override { return "not found"; }
  framework::PostFilterResult PostFilter(framework::Cycle& cycle, const framework::Profile& profile,
                                         const framework::Diagnosis& diagnosis,
                                         framework::Effects& effects) const override;
  framework::GroupPostFilterResult PodGroupPostFilter(framework::FailedGroup& group,
                                                      framework::Effects& effects) const override;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Reach score_reach(const framework::Cycle& cycle) const override;
  framework::Status Normalize(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                              framework::Scores& scores) const override;
  framework::Status Reserve(framework::Cycle& cycle, cluster::NodeSlot node) const override;
  void Unreserve(framework::Cycle& cycle, cluster::NodeSlot node, framework::Effects& effects) const override;
  framework::Status PreBindPreFlight(framework::Cycle& cycle, cluster::NodeSlot node) const override;
  framework::Status PreBind(framework::Cycle& cycle, cluster::NodeSlot node, Time now,
                            framework::Effects& effects) const override;
  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  framework::Status CheckExtendedResources(framework::Cycle& cycle, cluster::NodeSlot node,
                                           DynamicResourcesState& state, NodeAllocation& allocation) const;
  framework::Status Allocate(framework::Cycle& cycle, cluster::NodeSlot node, DynamicResourcesState& state,
                             NodeAllocation& allocation) const;
  // Binding the devices of the claim has failed or takes too long.
  bool WillNotBeReady(const framework::Cycle& cycle, const PodClaim& claim) const;
  framework::Status AwaitDevices(framework::Cycle& cycle, cluster::NodeSlot node, Time now,
                                 DynamicResourcesState& state, framework::Effects& effects) const;
  Result<bool> DevicesAreReady(const framework::Cycle& cycle, Time now, const DynamicResourcesState& state) const;

  // The group of the pod, if claims may belong to it; nullptr otherwise.
  const api::PodGroup* GroupOf(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const;
  // Gives up one claim that keeps the pod of the cycle from fitting; what was done, or a status without reasons.
  framework::Status GiveUpClaim(framework::Cycle& cycle, framework::Effects& effects) const;
  // The same for a claim that its group holds.
  framework::Status GiveUpGroupClaim(framework::FailedGroup& group, framework::Effects& effects) const;

  Duration binding_timeout_;
  Gates gates_;
};

}  // namespace berth::plugins
