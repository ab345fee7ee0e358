// SPDX-License-Identifier: Apache-2.0
// Predicates about the volumes of other pods on a node: disks that cannot be shared, and how many CSI volumes the node
// can attach.

#pragma once

#include <memory>

#include "framework/registry.h"
#include "plugins/legacy/v116/algorithm.h"

namespace berth::plugins::legacy::v116 {

class NoDiskConflict final : public Predicate {
 public:
  static constexpr std::string_view kReason = "node(s) had no available disk";

  using Predicate::Predicate;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
};

// MaxCSIVolumeCountPred. The limit of a driver is that of the node's CSINode object, or else one of the node's
// allocatable amounts. Only volumes of claims count.
class MaxCsiVolumeCount final : public Predicate {
 public:
  using Predicate::Predicate;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
};

}  // namespace berth::plugins::legacy::v116
