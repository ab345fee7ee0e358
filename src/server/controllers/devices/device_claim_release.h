// SPDX-License-Identifier: Apache-2.0
// DeviceClaimRelease: takes devices from claims whose pods need them no more, and deletes the claims that were made for
// such pods.
//
// A claim is reserved for pods, or for a group of them. Pods that have ended or are gone are taken off, and groups that
// are gone; with the last of them the claim loses its devices, so that another pod can have them.
//
// Thread: that of the store.

#pragma once

#include <string>

#include "server/controllers/controller.h"

namespace berth::server {

class DeviceClaimRelease : public Controller {
 public:
  explicit DeviceClaimRelease(const Cluster& cluster)
      : cluster_(cluster),
        pods_(cluster.Get("", "pods")),
        groups_(cluster.Get("scheduling.k8s.io", "podgroups")),
        claims_(cluster.Get("resource.k8s.io", "resourceclaims")) {}

  std::string_view name() const override { return "resource-claim-release"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the key of a claim.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // Whether the pod or group may still use what is reserved for it.
  bool IsConsumer(std::string_view ns, const Json& consumer) const;
  // Lets those that are no consumers go, and the devices with the last.
  bool RemoveConsumers(const StoredObject& claim);
  bool RemoveAllocation(const StoredObject& claim);
  bool RemoveProtection(const StoredObject& claim);
  // Whether the claim was made for a pod that does not need it any more.
  bool IsLeftOver(const StoredObject& claim, const Json& tree) const;

  const Cluster& cluster_;
  const Resource& pods_;
  const Resource& groups_;
  const Resource& claims_;
};

}  // namespace berth::server
