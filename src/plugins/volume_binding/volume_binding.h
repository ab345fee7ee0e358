// SPDX-License-Identifier: Apache-2.0
// VolumeBinding: finds the nodes on which a pod can have its volumes, and has the volumes bound when a node is chosen.
//
// Claims that are bound must be usable from the node. Claims that wait for a consumer get an existing volume there or
// have one provisioned; with the gate StorageCapacityScoring, nodes are ranked by how much of the storage is used up.
// Claims that should have been bound already make the pod wait.
//
// PreBind sends the updates on its first call and then answers Wait until everything is bound or the time is up.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "framework/args/resource_spec.h"
#include "framework/events.h"
#include "framework/plugin.h"
#include "framework/registry.h"
#include "plugins/helpers/broken_linear.h"

namespace berth::plugins {

class VolumeBinding : public framework::Plugin,
                      public framework::PreFilterPlugin,
                      public framework::FilterPlugin,
                      public framework::PreScorePlugin,
                      public framework::ScorePlugin,
                      public framework::ReservePlugin,
                      public framework::PreBindPlugin,
                      public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "VolumeBinding";
  static constexpr std::string_view kNodeMismatch = "node(s) didn't match PersistentVolume's node affinity";
  static constexpr std::string_view kNoVolume = "node(s) didn't find available persistent volumes to bind";
  static constexpr std::string_view kNoSpace = "node(s) did not have enough free storage";
  static constexpr std::string_view kVolumeMissing =
      "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

  struct Args {
    static constexpr std::string_view kKind = "VolumeBindingArgs";

    int64_t bind_timeout_seconds = 600;
    std::vector<framework::UtilizationShapePoint> shape;

    static constexpr auto Fields() {
      return std::array{framework::Member<&Args::bind_timeout_seconds>("bindTimeoutSeconds"),
                        framework::Member<&Args::shape>("shape")};
    }
    void Complete(const framework::FeatureGates& gates);
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  // Without `shape` nodes are not scored.
  VolumeBinding(Duration bind_timeout, std::optional<BrokenLinear> shape)
      : bind_timeout_(bind_timeout), shape_(std::move(shape)) {}
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);

  std::string_view name() const override { return kName; }
  bool skips_resizes() const override { return true; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  std::string_view without_pre_filter() const override { return "not found"; }
  framework::Status PreScore(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes) const override;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Reach score_reach(const framework::Cycle& cycle) const override;
  framework::Status Reserve(framework::Cycle& cycle, cluster::NodeSlot node) const override;
  void Unreserve(framework::Cycle& cycle, cluster::NodeSlot node, framework::Effects& effects) const override;
  framework::Status PreBindPreFlight(framework::Cycle& cycle, cluster::NodeSlot node) const override;
  framework::Status PreBind(framework::Cycle& cycle, cluster::NodeSlot node, Time now,
                            framework::Effects& effects) const override;

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  Duration bind_timeout_;
  std::optional<BrokenLinear> shape_;
};

}  // namespace berth::plugins
