// SPDX-License-Identifier: Apache-2.0
// EventExpiry: forgets events an hour after they were last written.
//
// Thread: that of the store.

#pragma once

#include <deque>
#include <utility>

#include "server/controllers/controller.h"

namespace berth::server {

class EventExpiry : public Controller {
 public:
  explicit EventExpiry(const Cluster& cluster) : cluster_(cluster), events_(cluster.Get("", "events")) {}

  std::string_view name() const override { return "event-expiry"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  const Cluster& cluster_;
  const Resource& events_;
  // When each was last written, oldest first.
  std::deque<std::pair<Time, ObjectPtr>> written_;
};

}  // namespace berth::server
