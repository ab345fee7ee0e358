// SPDX-License-Identifier: Apache-2.0
// JobExpiry: deletes Jobs some time after they ended, with their pods, if they say so.
//
// Thread: that of the store.

#pragma once

#include "server/controllers/controller.h"

namespace berth::server {

class JobExpiry : public Controller {
 public:
  explicit JobExpiry(const Cluster& cluster) : cluster_(cluster), jobs_(cluster.Get("batch", "jobs")) {}

  std::string_view name() const override { return "ttl-after-finished"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  const Cluster& cluster_;
  const Resource& jobs_;
};

}  // namespace berth::server
