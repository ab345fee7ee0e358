// SPDX-License-Identifier: Apache-2.0
// VolumeProtection: lets claims and volumes that are being deleted go once nothing uses them.
//
// Thread: that of the store.

#pragma once

#include <set>
#include <string>

#include "server/controllers/controller.h"

namespace berth::server {

class VolumeProtection : public Controller {
 public:
  explicit VolumeProtection(const Cluster& cluster)
      : cluster_(cluster),
        volumes_(cluster.Get("", "persistentvolumes")),
        claims_(cluster.Get("", "persistentvolumeclaims")),
        pods_(cluster.Get("", "pods")) {}

  std::string_view name() const override { return "volume-protection"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // The key of a claim, or the name of a volume, which has no slash.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  bool IsUsed(const StoredObject& claim) const;

  const Cluster& cluster_;
  const Resource& volumes_;
  const Resource& claims_;
  const Resource& pods_;
  std::set<std::string, std::less<>> marked_claims_;  // By key; those that are being deleted.
};

}  // namespace berth::server
