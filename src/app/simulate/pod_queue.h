// SPDX-License-Identifier: Apache-2.0
// PodQueue: the pods that wait to be tried, and those that wait for something to change.
//
// Pods leave in the order of the profiles' queue sort, equal ones in the order of the caller's list. A pod that did not
// fit waits until something happens that may help it, judged by the plugins that turned it down. Such pods return
// together, once the queue is empty: that is the backoff of a scheduler whose queue empties within a second.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "framework/plugin.h"

namespace berth::simulate {

enum class Happening : uint8_t { kPodPlaced, kPodGone, kVolumeBound };

class PodQueue {
 public:
  // REQUIRES: `sort` outlives this.
  explicit PodQueue(const framework::QueueSortPlugin& sort) : active_(Before{&sort}) {}

  // `pod` is the position of the pod in the caller's list.
  void Push(size_t pod, cluster::PodPtr info, Time timestamp);
  // The next pod; those whose time has come return when no other is left.
  std::optional<size_t> Pop();

  // The popped pod did not fit, for the sake of these plugins. None: everything may help.
  void Wait(size_t pod, cluster::PodPtr info, Time timestamp, const std::set<std::string, std::less<>>& plugins);
  void Happened(Happening happening) { last_[static_cast<size_t>(happening)] = ++clock_; }

  size_t active_count() const { return active_.size(); }

 private:
  struct Entry {
    cluster::PodPtr info;
    Time timestamp;
    size_t pod = 0;
  };
  struct Before {
    const framework::QueueSortPlugin* sort;
    bool operator()(const Entry& a, const Entry& b) const;
  };
  struct Waiting {
    Entry entry;
    uint8_t helpers = 0;  // Bits of Happening.
    uint64_t since = 0;
  };
  void Return();

  std::set<Entry, Before> active_;
  std::map<size_t, Waiting> waiting_;
  uint64_t clock_ = 0;
  std::array<uint64_t, 3> last_{};  // When each Happening was last seen.
};

}  // namespace berth::simulate
