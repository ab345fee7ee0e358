// SPDX-License-Identifier: Apache-2.0
// DelayedClaims: a pod's claims that wait for the pod to get a node, and what would become of them on each node.
//
// A claim gets an existing volume or has one provisioned. A claim for which a node was selected before can only be
// provisioned there. What was found for a node is remembered, because scoring and reserving ask for it.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "cluster/cluster.h"
#include "plugins/volume_binding/claim_options.h"
#include "plugins/volume_binding/claim_provisioning.h"

namespace berth::plugins {

class DelayedClaims {
 public:
  // What happens to one claim on a node: it is bound to `volume` or, if that is null, provisioned (from `capacity`, if
  // the driver publishes it).
  struct Choice {
    const api::PersistentVolume* volume = nullptr;
    const api::CsiStorageCapacity* capacity = nullptr;
  };
  enum class Answer : uint8_t { kPossible, kNoVolume, kNoSpace };

  // REQUIRES: the claims' storage classes exist.
  void Init(std::vector<std::shared_ptr<const api::PersistentVolumeClaim>> claims, const cluster::Cluster& cluster);

  bool empty() const { return claims_.empty(); }
  size_t size() const { return claims_.size(); }
  const api::PersistentVolumeClaim& claim(size_t i) const { return *claims_[i].claim; }

  // Decides for a node and remembers the choices if it is possible. Fails with upstream's text.
  Result<Answer> Check(const cluster::Cluster& cluster, cluster::NodeSlot node);

  // One choice per claim; empty if Check did not find the node possible.
  std::span<const Choice> choices(cluster::NodeSlot node) const;

 private:
  struct Claim {
    std::shared_ptr<const api::PersistentVolumeClaim> claim;
    const std::string* selected_node = nullptr;       // In the claim's annotations; nullptr: none.
    ClaimOptions options;                             // Empty for claims with a selected node.
    std::unique_ptr<ClaimProvisioning> provisioning;  // Made when first needed.
  };
  // Fills choices_ with volumes. Fails with upstream's text.
  Result<void> ChooseVolumes(const api::Labels& node_labels, std::span<Choice> choices);
  Answer Provision(const cluster::Cluster& cluster, cluster::NodeSlot node, std::span<Choice> choices);

  std::vector<Claim> claims_;                        // Those with a selected node first, then by size.
  std::vector<Choice> choices_;                      // By slot, claims_.size() for each.
  std::vector<uint8_t> is_possible_;                 // By slot.
  std::vector<const api::PersistentVolume*> taken_;  // Kept to reuse its memory.
};

}  // namespace berth::plugins
