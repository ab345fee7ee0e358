// SPDX-License-Identifier: Apache-2.0
// EphemeralVolumes: makes the claims of pods whose volumes live as long as they do.
//
// Thread: that of the store.

#pragma once

#include <string>

#include "server/controllers/controller.h"

namespace berth::server {

class EphemeralVolumes : public Controller {
 public:
  explicit EphemeralVolumes(const Cluster& cluster)
      : cluster_(cluster), pods_(cluster.Get("", "pods")), claims_(cluster.Get("", "persistentvolumeclaims")) {}

  std::string_view name() const override { return "ephemeral-volume"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the key of a pod.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  void TellOfFailure(const StoredObject& pod, const Json& volume, std::string_view why);

  const Cluster& cluster_;
  const Resource& pods_;
  const Resource& claims_;
};

}  // namespace berth::server
