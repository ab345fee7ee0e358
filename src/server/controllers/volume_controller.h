// SPDX-License-Identifier: Apache-2.0
// VolumeController: brings claims and volumes together, and provisions volumes for classes that have a provisioner.
//
// A claim of a class that waits for its first consumer is bound when the scheduler has chosen a volume or a node for
// it.
//
// Thread: that of the store.

#pragma once

#include "server/controllers/controller.h"

namespace berth::server {

class VolumeController : public Controller {
 public:
  explicit VolumeController(const Cluster& cluster)
      : cluster_(cluster),
        volumes_(cluster.Get("", "persistentvolumes")),
        claims_(cluster.Get("", "persistentvolumeclaims")),
        classes_(cluster.Get("storage.k8s.io", "storageclasses")) {}

  std::string_view name() const override { return "persistentvolume-binder"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // `claim:NS/NAME` or `volume:NAME`.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  bool SyncClaim(const StoredObject& claim);
  bool SyncNamed(const StoredObject& claim, const Json& tree, std::string_view name);
  bool SyncVolume(const StoredObject& volume);
  bool Bind(const StoredObject& claim, const StoredObject& volume);
  bool Provision(const StoredObject& claim, const Json& tree, const Json& storage_class);
  // The best volume for the claim: one that is meant for it, else the smallest that will do. Null if there is none.
  ObjectPtr Choose(const StoredObject& claim, const Json& tree, bool only_reserved) const;
  bool SetPhase(const StoredObject& volume, std::string_view phase);

  const Cluster& cluster_;
  const Resource& volumes_;
  const Resource& claims_;
  const Resource& classes_;
};

}  // namespace berth::server
