// SPDX-License-Identifier: Apache-2.0
// VolumeController: brings claims and volumes together, and provisions volumes for classes that have a provisioner.
//
// A claim of a class that waits for its first consumer is bound when the scheduler has chosen a volume or a node for
// it. A claim without a class gets the default one as soon as there is one. Why a claim waits is told by an event, in
// upstream's words.
//
// Thread: that of the store.

#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/controllers/controller.h"
#include "server/controllers/event_report.h"

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
  std::optional<Duration> SyncClaim(const StoredObject& claim);
  std::optional<Duration> SyncNamed(const StoredObject& claim, const Json& tree, std::string_view name);
  // Tells why the claim waits, and when to look at it again.
  Duration Wait(const StoredObject& claim, const Notice& why) const;
  // What a claim waits for that has no consumer yet, or none with a node.
  Notice ConsumerNotice(const StoredObject& claim) const;
  bool SetClass(const StoredObject& claim, std::string_view name);
  bool Lose(const StoredObject& claim, bool is_taken);
  bool SyncVolume(const StoredObject& volume);
  bool Bind(const StoredObject& claim, const StoredObject& volume);
  bool Provision(const StoredObject& claim, const Json& tree, const Json& storage_class);
  // Notes which claim the volume that changed is reserved for; its key, or "" if the volume is free.
  std::string Index(const Change& change);
  // The volumes that are reserved for the claim with this key, or are free (""), in the order of names.
  std::vector<ObjectPtr> VolumesOf(const std::string& claim) const;
  // The best volume for the claim: one that is meant for it, else the smallest that will do. Null if there is none.
  ObjectPtr Choose(const StoredObject& claim, const Json& tree, bool only_reserved) const;
  bool SetPhase(const StoredObject& volume, std::string_view phase);

  const Cluster& cluster_;
  const Resource& volumes_;
  const Resource& claims_;
  const Resource& classes_;
  std::unordered_map<std::string, std::string> claim_of_;              // By the name of a volume; see Index.
  std::unordered_map<std::string, std::set<std::string>> volumes_of_;  // The other way round.
};

}  // namespace berth::server
