// SPDX-License-Identifier: Apache-2.0
// QueueTrail: how a pod or group has come through the queues since its last attempt, for explanations.

#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "framework/observer.h"
#include "queue/plugin_set.h"

namespace berth::queue {

struct QueueTrail {
  static constexpr size_t kQueueCount = 3;  // As Observer::Queue has them.
  using Queue = framework::Observer::Queue;

  std::optional<Queue> queue;                     // The last one that it entered; nothing: none yet.
  Time since;                                     // When it did.
  std::array<Duration, kQueueCount> waited = {};  // In those that it has left.
  framework::QueueCause cause;                    // What brought it there; a backoff that ends changes nothing.
  std::optional<PluginId> called_by;              // Whose answer to an event did.
  uint32_t declined_count = 0;                    // Events of which no rejector expected anything.
  framework::ClusterEvent last_declined;

  void Enter(Queue entered, const framework::QueueCause& why, Time now) {
    Leave(now);
    queue = entered;
    since = now;
    using Kind = framework::QueueCause::Kind;
    if (why.kind == Kind::kBackoffComplete) return;
    cause = why;
    if (why.kind != Kind::kEvent && why.kind != Kind::kAttemptFailed) called_by.reset();
  }
  // It is taken out of the queue that it is in.
  void Leave(Time now) {
    if (!queue) return;
    Duration& sum = waited[static_cast<size_t>(*queue)];
    sum = sum + (now - since);
    queue.reset();
  }
  void Decline(const framework::ClusterEvent& event) {
    ++declined_count;
    last_declined = event;
  }
};

}  // namespace berth::queue
