// SPDX-License-Identifier: Apache-2.0
// PodControl: makes and deletes the pods of a set, and reports it as events about the set.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>

#include "server/controllers/event_report.h"
#include "server/controllers/owned_pods.h"

namespace berth::server {

class PodControl {
 public:
  // `reporter`: in whose name events are written. REQUIRES: all outlive this.
  PodControl(const Controller& controller, const Cluster& cluster, const StoredObject& owner, std::string_view reporter)
      : controller_(controller), cluster_(cluster), owner_(owner), reporter_(reporter) {}

  // Both fail with what the events say. A namespace that is going, where no pod is made and null returned, or a pod
  // that is gone, is nothing to speak of.
  Outcome<ObjectPtr> Create(Json pod) const;
  Outcome<void> Delete(const PodInfo& pod) const;
  void Report(std::string_view type, std::string_view reason, std::string message) const;

 private:
  const Controller& controller_;
  const Cluster& cluster_;
  const StoredObject& owner_;
  std::string_view reporter_;
};

}  // namespace berth::server
