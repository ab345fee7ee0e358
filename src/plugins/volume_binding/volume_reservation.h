// SPDX-License-Identifier: Apache-2.0
// VolumeReservation: the volumes and claims of one pod that are to be bound for its node.
//
// It begins when the node is chosen: the outcome is assumed, so that other pods see it. Then the API is asked to make
// it so, and others (the volume controller, the provisioner) do the rest; Check follows their progress.

#pragma once

#include <string>
#include <vector>

#include "api/objects/storage.h"
#include "base/result.h"
#include "cluster/cluster.h"
#include "framework/cycle.h"
#include "framework/effects.h"
#include "plugins/volume_binding/delayed_claims.h"

namespace berth::plugins {

class VolumeReservation {
 public:
  // Assumes the choices made for `node`. Fails with upstream's text, and then nothing is assumed.
  static Result<VolumeReservation> Make(const DelayedClaims& claims, cluster::NodeSlot node, cluster::Cluster& cluster);

  // Takes the assumptions back.
  void Restore(cluster::AssumedVolumes& assumed) const;

  // Asks for the updates.
  void Emit(framework::Effects& effects) const;

  // True when all claims are bound; false when that takes more time. Fails with upstream's text when it will not
  // happen.
  Result<bool> Check(const framework::Cycle& cycle) const;

 private:
  struct Binding {
    api::PersistentVolume volume;  // Already bound to the claim.
    std::string claim_ns;
    std::string claim_name;
    bool is_update = false;  // The API server will give the volume a new version.
  };
  struct Provisioning {
    api::PersistentVolumeClaim claim;  // Already with the selected node.
    bool is_update = false;
  };

  Result<void> Bind(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim,
                    cluster::AssumedVolumes& assumed);
  Result<void> Provision(const api::PersistentVolumeClaim& claim, cluster::AssumedVolumes& assumed);
  static Result<bool> CheckBinding(const Binding& binding, const api::Node& node, const cluster::Cluster& cluster);
  Result<bool> CheckProvisioning(const Provisioning& provisioning, const api::Node& node,
                                 const cluster::Cluster& cluster) const;

  std::string node_name_;
  std::vector<Binding> bindings_;
  std::vector<Provisioning> provisionings_;
};

}  // namespace berth::plugins
