// SPDX-License-Identifier: Apache-2.0
// DisruptionController: keeps the status of pod disruption budgets: how many of their pods may be evicted now.
//
// Thread: that of the store.

#pragma once

#include <vector>

#include "server/controllers/controller.h"

namespace berth::server {

class DisruptionController : public Controller {
 public:
  explicit DisruptionController(const Cluster& cluster)
      : cluster_(cluster), budgets_(cluster.Get("policy", "poddisruptionbudgets")), pods_(cluster.Get("", "pods")) {}

  std::string_view name() const override { return "disruption"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  std::vector<const PodInfo*> PodsOf(const StoredObject& budget, const Json& tree) const;
  Json Pending(const StoredObject& budget, const Json& tree) const;

  const Cluster& cluster_;
  const Resource& budgets_;
  const Resource& pods_;
};

}  // namespace berth::server
