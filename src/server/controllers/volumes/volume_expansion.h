// SPDX-License-Identifier: Apache-2.0
// VolumeExpansion: gives bound claims the room that they ask for, as a driver that needs no help of a node would.
//
// Whether a claim may ask for more is decided when it does, by its class.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>

#include "server/controllers/controller.h"

namespace berth::server {

class VolumeExpansion : public Controller {
 public:
  explicit VolumeExpansion(const Cluster& cluster)
      : cluster_(cluster),
        volumes_(cluster.Get("", "persistentvolumes")),
        claims_(cluster.Get("", "persistentvolumeclaims")) {}

  std::string_view name() const override { return "volume-expansion"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the key of the claim.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  bool Resize(const StoredObject& claim, const StoredObject& volume, const Json& size);

  const Cluster& cluster_;
  const Resource& volumes_;
  const Resource& claims_;
};

}  // namespace berth::server
