// SPDX-License-Identifier: Apache-2.0
// QueuedPod: a pod that waits to be scheduled or is being scheduled, with its history.
//
// One object accompanies the pod from its first entry into the queue through all attempts; it is always owned by
// exactly one place: a queue, or the attempt that popped it.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/time.h"
#include "cluster/pod_info.h"
#include "framework/plugin.h"
#include "queue/plugin_set.h"

namespace berth::queue {

// A backoff that ended before all time.
inline constexpr Time kNoBackoff{std::numeric_limits<int64_t>::min()};

struct QueuedPod {
  QueuedPod(cluster::PodPtr queued, Time now) : key(queued->full_name()), pod(std::move(queued)), timestamp(now) {}

  const std::string key;  // "namespace/name", by which the queues know it.
  cluster::PodPtr pod;    // The newest version known to the queue.
  Time timestamp;         // When it entered the queue, or came back from an attempt.
  int32_t attempts = 0;   // How often it was popped.
  int32_t unschedulable_count = 0;
  int32_t consecutive_errors = 0;
  Time backoff_expiry = kNoBackoff;
  std::optional<Time> first_entry;  // When it first entered the active queue.

  PluginSet unschedulable_plugins;  // Who rejected it in the last attempt, or keeps it out of the queue.
  PluginSet pending_plugins;        // Who said that it waits for something of its own.
  std::optional<PluginId> gating_plugin;

  std::optional<Time> flush_timestamp;  // When it was last moved because it had waited too long.
  bool was_flushed = false;             // The last move was such a one.

  size_t place = 0;  // In the heap or bucket that holds it.

  bool is_gated() const { return gating_plugin.has_value(); }
  PluginSet rejectors() const { return unschedulable_plugins | pending_plugins; }
  framework::QueuedPod ForSort() const { return {*pod, timestamp}; }
};

}  // namespace berth::queue
