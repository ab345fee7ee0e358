// SPDX-License-Identifier: Apache-2.0
// PodStore: the newest version of every pod the API server has reported, by namespace and name.
//
// Thread: core.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cluster/pod_info.h"
#include "cluster/tables/string_map.h"

namespace berth::queue {

class PodStore {
 public:
  size_t size() const { return pods_.size(); }

  // The pod called "namespace/name", or nullptr.
  cluster::PodPtr Find(std::string_view full_name) const {
    const auto it = pods_.find(full_name);
    return it == pods_.end() ? nullptr : it->second;
  }
  // Adds or replaces.
  void Put(cluster::PodPtr pod) {
    std::string full_name = pod->full_name();
    pods_.insert_or_assign(std::move(full_name), std::move(pod));
  }
  // Calls `visit(const PodPtr&)` for every pod, in no particular order.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [full_name, pod] : pods_) visit(pod);
  }
  void Erase(std::string_view full_name) {
    if (const auto it = pods_.find(full_name); it != pods_.end()) pods_.erase(it);
  }

 private:
  cluster::StringMap<cluster::PodPtr> pods_;
};

}  // namespace berth::queue
