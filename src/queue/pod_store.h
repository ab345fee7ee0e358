// SPDX-License-Identifier: Apache-2.0
// PodStore: the newest version of every pod the API server has reported, by namespace and name.
//
// Thread: core.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cluster/pod_info.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"

namespace berth::queue {

class PodStore {
 public:
  size_t size() const { return pods_.size(); }

  // The pod called "namespace/name", or nullptr.
  cluster::PodPtr Find(std::string_view full_name) const {
    const cluster::PodPtr* pod = pods_.Find(full_name);
    return pod == nullptr ? nullptr : *pod;
  }
  // Adds or replaces.
  void Put(cluster::PodPtr pod) {
    std::string full_name = pod->full_name();
    pods_[std::move(full_name)] = std::move(pod);
  }
  // Calls `visit(const PodPtr&)` for every pod, in no particular order.
  template <class Visit>
  void ForEach(Visit visit) const {
    pods_.ForEach([&](const std::string&, const cluster::PodPtr& pod) { visit(pod); });
  }
  void Erase(std::string_view full_name) { pods_.Erase(full_name); }
  // Empties it piece by piece, and calls `pause` after each.
  void Clear(const auto& pause) { pods_.Clear(pause); }

 private:
  cluster::ShardedMap<cluster::StringMap<cluster::PodPtr>> pods_;  // Copies share what they do not change.
};

}  // namespace berth::queue
