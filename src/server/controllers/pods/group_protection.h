// SPDX-License-Identifier: Apache-2.0
// GroupProtection: lets groups of pods that are being deleted go once all their pods have ended.
//
// Thread: that of the store.

#pragma once

#include <string>

#include "server/controllers/controller.h"

namespace berth::server {

class GroupProtection : public Controller {
 public:
  explicit GroupProtection(const Cluster& cluster)
      : cluster_(cluster), groups_(cluster.Get("scheduling.k8s.io", "podgroups")), pods_(cluster.Get("", "pods")) {}

  std::string_view name() const override { return "podgroup-protection"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // The key of a group.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  const Cluster& cluster_;
  const Resource& groups_;
  const Resource& pods_;
};

}  // namespace berth::server
