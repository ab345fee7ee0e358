// SPDX-License-Identifier: Apache-2.0
// ReflectorLog: writes to the log what goes wrong with lists and watches.

#pragma once

#include <string>

#include "client/reflector_observer.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {

class ReflectorLog : public client::ReflectorObserver {
 public:
  void OnSkipped(const client::WatchedResource& resource, const std::string& why) override {
    telemetry::LogError("Skipped an object that cannot be read", "kind", resource.kind, "err", why);
  }
  void OnFailure(const client::WatchedResource& resource, const std::string& message) override {
    telemetry::LogError("Failed to watch", "err", message, "type", resource.plural);
  }
};

}  // namespace berth::scheduler_app
