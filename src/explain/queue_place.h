// SPDX-License-Identifier: Apache-2.0
// QueuePlace: where a pod stands that has no node yet, what it waits for, and when it is tried next.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/document/json_writer.h"
#include "base/time.h"
#include "scheduler/core.h"

namespace berth::explain {

struct QueuePlace {
  enum class Where : uint8_t {
    kNowhere,        // It has a node, is none of this scheduler's, or is gone.
    kActive,         // To be tried now, in turn.
    kBackoff,        // Was turned down and backs off.
    kErrorBackoff,   // The same after an internal error.
    kUnschedulable,  // Waits for the cluster to change.
    kGated,          // A plugin keeps it out of the queue.
    kNoGroup,        // An object of its group is missing.
    kGroupTried,     // Its group is being tried without it.
    kExtenders,      // Its attempt waits for extenders.
    kPermit,         // Has a node and waits on permit.
    kBinding,        // Has a node and is being bound.
  };
  Where where = Where::kNowhere;
  std::string group;  // "namespace/name" of the root that it is queued with; empty: it is alone.
  size_t place = 0;   // In the order of its queue, from 1; 0: it has none.
  size_t length = 0;  // Of that queue.
  int32_t attempts = 0;
  std::optional<Time> since;           // When it came there.
  std::string cause;                   // What brought it there.
  std::vector<std::string> waits_for;  // Plugins that turned it down or hold it back.
  struct Waker {
    std::string plugin;
    std::string event;           // "NodeAdd", ...
    bool depends_on_it = false;  // The plugin looks at what has changed before it lets the pod be tried.
  };
  std::vector<Waker> wakers;  // Events that may have it tried again.
  std::optional<Time> next_retry;
  bool may_be_earlier = false;  // An event, or an empty queue, may bring it forward.
};

std::string_view ToString(QueuePlace::Where where);

QueuePlace PlaceOf(const scheduler::Core& core, const cluster::PodInfo& pod, Time now);

void WritePlace(api::JsonWriter& json, const QueuePlace& place);

// All pods that wait, in the order in which they are tried, as far as there is one.
struct QueueListing {
  struct Row {
    std::string ns, name;
    int32_t priority = 0;
    QueuePlace place;
  };
  Time now;
  size_t active = 0, backoff = 0, unschedulable = 0, gated = 0, no_group = 0, binding = 0;
  size_t total = 0;       // Pods that wait, those that are not listed included.
  std::vector<Row> rows;  // Without their wakers.
};
QueueListing ListQueue(const scheduler::Core& core, Time now, size_t limit);
void WriteListing(api::JsonWriter& json, const QueueListing& listing);

}  // namespace berth::explain
