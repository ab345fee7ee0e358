// SPDX-License-Identifier: Apache-2.0
// QueuedPod: a pod that waits to be scheduled or is being scheduled, with its history. It may stand for a whole group.
//
// A group is queued as one: it has a history of its own, and the pod is one of its members, each of which has its own
// history too. The rejectors of a group are those of its members; its own sets are empty.
//
// One object accompanies the pod from its first entry into the queue through all attempts; it is always owned by
// exactly one place: a queue, or the attempt that popped it.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "cluster/pod_info.h"
#include "framework/plugin.h"
#include "queue/plugin_set.h"
#include "queue/queue_trail.h"
#include "queue/queued_group.h"

namespace berth::queue {

// A backoff that ended before all time.
inline constexpr Time kNoBackoff{std::numeric_limits<int64_t>::min()};

struct QueuedPod {
  QueuedPod(cluster::PodPtr queued, Time now) : key(queued->full_name()), pod(std::move(queued)), timestamp(now) {}
  // A group with its first member.
  QueuedPod(cluster::GroupKey root, std::unique_ptr<QueuedPod> member)
      : key(EntityKey(root)),
        pod(member->pod),
        timestamp(member->timestamp),
        first_entry(member->first_entry),
        group(std::make_unique<QueuedGroup>(std::move(root))) {
    group->Add(std::move(member));
  }

  const std::string key;  // "namespace/name" or EntityKey, by which the queues know it.
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
  QueueTrail trail;                     // A member has that of its group.

  QueuedGroupPtr group;  // Null: a single pod.

  size_t place = 0;  // In the heap or bucket that holds it.

  bool is_gated() const { return gating_plugin.has_value(); }
  PluginSet rejectors() const { return unschedulable_plugins | pending_plugins; }
  framework::QueuedPod ForSort() const {
    return {*pod, timestamp, group == nullptr ? pod->priority() : group->priority, first_entry.value_or(timestamp)};
  }
  // How many pods are queued with it.
  size_t size() const { return group == nullptr ? 1 : group->size(); }
  void SetFlushed(bool flushed) {
    ForEach([&](QueuedPod& member) { member.was_flushed = flushed; });
    was_flushed = flushed;
  }
  // Calls `visit(QueuedPod&)` for the pod, or for every member.
  template <class Visit>
  void ForEach(Visit visit) {
    group == nullptr ? visit(*this) : group->ForEach(visit);
  }
  template <class Visit>
  void ForEach(Visit visit) const {
    group == nullptr ? visit(*this) : group->ForEach([&](const QueuedPod& member) { visit(member); });
  }
  // Calls `test(const QueuedPod&)` until it returns true; returns whether it did.
  template <class Test>
  bool AnyOf(Test test) const {
    bool found = false;
    ForEach([&](const QueuedPod& member) { found = found || test(member); });
    return found;
  }
};

// How many groups a place holds, and how many pods they have. REQUIRES: a group keeps its members while it is there.
struct GroupCensus {
  size_t groups = 0;
  size_t members = 0;

  void Add(const QueuedPod& queued) {
    if (queued.group == nullptr) return;
    ++groups;
    members += queued.size();
  }
  void Remove(const QueuedPod& queued) {
    if (queued.group == nullptr) return;
    --groups;
    members -= queued.size();
  }
  GroupCensus operator+(const GroupCensus& other) const { return {groups + other.groups, members + other.members}; }
};

}  // namespace berth::queue
