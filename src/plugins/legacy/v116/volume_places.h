// SPDX-License-Identifier: Apache-2.0
// Predicates about where the pod's own volumes can be used: CheckVolumeBinding and NoVolumeZoneConflict.
//
// CheckVolumeBinding is today's VolumeBinding with v1.16's texts. What today makes a pod wait before nodes are looked
// at (a claim that should be bound already, a volume that does not exist) fails the attempt, on each node that comes so
// far.

#pragma once

#include <memory>

#include "framework/registry.h"
#include "plugins/legacy/v116/algorithm.h"
#include "plugins/volume_binding/volume_binding.h"

namespace berth::plugins::legacy::v116 {

class CheckVolumeBinding final : public VolumeBinding {
 public:
  static constexpr std::string_view kName = "CheckVolumeBinding";
  static constexpr std::string_view kNodeConflict = "node(s) had volume node affinity conflict";
  static constexpr std::string_view kBindConflict = "node(s) didn't find available persistent volumes to bind";

  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);
  explicit CheckVolumeBinding(Duration bind_timeout) : VolumeBinding(bind_timeout, std::nullopt) {}

  std::string_view name() const override { return kName; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  std::vector<framework::EventRegistration> EventsToRegister() const override;
};

class NoVolumeZoneConflict final : public Predicate {
 public:
  static constexpr std::string_view kReason = "node(s) had no available volume zone";

  using Predicate::Predicate;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
};

}  // namespace berth::plugins::legacy::v116
