// SPDX-License-Identifier: Apache-2.0
// OwnerIndex: on which nodes the pods of each controller are.
//
// Thread: core. Cost: one lookup per pod that comes or goes; an owner is forgotten with its last pod.

#pragma once

#include <string>

#include "cluster/placements.h"
#include "cluster/pod_info.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

class OwnerIndex {
 public:
  // Of the pod's controller; nullptr if it has none, or none with pods on nodes. Valid until pods come or go.
  const Placements* Find(const PodInfo& pod) const;
  size_t size() const { return owners_.size(); }

  void PodAdded(NodeSlot slot, const PodInfo& pod);
  void PodRemoved(NodeSlot slot, const PodInfo& pod);

 private:
  ShardedMap<StringMap<Placements>> owners_;
};

}  // namespace berth::cluster
