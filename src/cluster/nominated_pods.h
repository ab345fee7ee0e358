// SPDX-License-Identifier: Apache-2.0
// NominatedPods: pending pods that have a node nominated for them, by node.
//
// Thread: core.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/pod_info.h"
#include "cluster/tables/chunked_map.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

class NominatedPods {
 public:
  // Nominates `pod` to `node_name`, in place of an earlier nomination of the same pod. An empty name removes it.
  void Set(PodPtr pod, std::string_view node_name);
  void Remove(const std::string& uid);

  // Pods nominated to the node, in order of nomination. Valid until the next change.
  const std::vector<PodPtr>& OnNode(std::string_view node_name) const;
  // The node a pod is nominated to; empty if none.
  std::string_view NodeOf(const std::string& uid) const;

  bool empty() const { return node_of_.empty(); }
  size_t size() const { return node_of_.size(); }
  const ChunkedMap<std::string, std::vector<PodPtr>>& by_node() const { return by_node_; }

 private:
  ChunkedMap<std::string, std::vector<PodPtr>> by_node_;
  ShardedMap<StringMap<std::string>> node_of_;  // uid to node name.
};

}  // namespace berth::cluster
