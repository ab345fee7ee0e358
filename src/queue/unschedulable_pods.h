// SPDX-License-Identifier: Apache-2.0
// UnschedulablePods: pods that wait for the cluster to change.
//
// Some were rejected in an attempt; others are gated: a PreEnqueue plugin does not let them into the queue. Pods with
// the same rejectors and the same gating plugin share a bucket, so an event looks only at pods of plugins that
// registered it. Groups are of interest to everybody: their members tell.
//
// Thread: core. Cost: O(log b) to add and remove, b buckets, of which there are few.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "queue/queued_pod.h"

namespace berth::queue {

class UnschedulablePods {
 public:
  size_t size() const { return by_key_.size(); }
  size_t gated_count() const { return gated_count_; }
  const GroupCensus& rejected_census() const { return rejected_census_; }
  const GroupCensus& gated_census() const { return gated_census_; }

  // The pod, or nullptr. REQUIRES: rejectors and gating plugin stay as they are while the pod is here.
  QueuedPod* Find(std::string_view key) const;
  // Adds the pod, in place of one with the same key.
  void Put(std::unique_ptr<QueuedPod> pod);
  // Removes the pod; nullptr if there is none.
  std::unique_ptr<QueuedPod> Take(std::string_view key);

  // Calls `visit(QueuedPod&)` for pods that one of `plugins` rejected; for gated ones only if it is the gating plugin
  // that is among them. The order depends only on the calls before. REQUIRES: `visit` neither adds nor removes pods.
  template <class Visit>
  void ForEachRejectedBy(PluginSet plugins, Visit visit) const {
    for (const auto& [signature, pods] : buckets_) {
      if (!signature.IsRejectedBy(plugins)) continue;
      for (QueuedPod* pod : pods) visit(*pod);
    }
  }
  // The same for all pods.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [signature, pods] : buckets_) {
      for (QueuedPod* pod : pods) visit(*pod);
    }
  }

 private:
  struct Signature {
    explicit Signature(const QueuedPod& pod)
        : rejectors(pod.rejectors()), gate(pod.is_gated() ? pod.gating_plugin->index : -1) {}
    PluginSet rejectors;
    int gate;  // -1: not gated.

    // A pod without rejectors is of interest to everybody.
    bool IsRejectedBy(PluginSet plugins) const {
      if (gate >= 0 && !plugins.Contains(PluginId{static_cast<uint8_t>(gate)})) return false;
      return rejectors.empty() || !(rejectors & plugins).empty();
    }
    bool operator<(const Signature& other) const {
      return std::pair(rejectors.bits(), gate) < std::pair(other.rejectors.bits(), other.gate);
    }
  };

  boost::unordered_flat_map<std::string_view, std::unique_ptr<QueuedPod>> by_key_;  // Keys are in the pods.
  std::map<Signature, std::vector<QueuedPod*>> buckets_;                            // QueuedPod::place is the index.
  size_t gated_count_ = 0;
  GroupCensus rejected_census_;
  GroupCensus gated_census_;
};

}  // namespace berth::queue
