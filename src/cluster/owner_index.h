// SPDX-License-Identifier: Apache-2.0
// OwnerIndex: on which nodes the pods of each controller are.
//
// Thread: core. Cost: one lookup per pod that comes or goes; an owner is forgotten with its last pod.

#pragma once

#include <string>

#include "cluster/pod_info.h"
#include "cluster/tables/counts.h"
#include "cluster/tables/ids.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

class OwnerIndex {
 public:
  // How many pods of its controller are on each node, by slot; nullptr if it has none, or none with pods on nodes.
  // Valid until pods come or go.
  const Counts* Find(const PodInfo& pod) const;
  size_t size() const { return owners_.size(); }

  void PodAdded(NodeSlot slot, const PodInfo& pod);
  void PodRemoved(NodeSlot slot, const PodInfo& pod);

 private:
  ShardedMap<StringMap<Counts>> owners_;
};

}  // namespace berth::cluster
