// SPDX-License-Identifier: Apache-2.0
// FailedPodBackoff: how long a DaemonSet waits before it replaces a pod that failed on a node again.
//
// The first one is replaced at once; from then on each wait is twice as long, from a second to a quarter of an hour. A
// node where none has failed for twice that long begins anew.
//
// Thread: that of the store.

#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "base/time.h"

namespace berth::server {

class FailedPodBackoff {
 public:
  // So many places are remembered; then all are forgotten.
  static constexpr size_t kPlacesMax = 10'000;

  // Nothing: a pod that failed at `place` is replaced now, which is remembered. Else after this.
  std::optional<Duration> Wait(const std::string& place, Time now);

 private:
  struct Last {
    Time when = {};
    Duration wait = {};
  };

  std::unordered_map<std::string, Last> places_;
};

}  // namespace berth::server
