// SPDX-License-Identifier: Apache-2.0
// AffinityIndex: the pods on nodes that carry pod affinity or anti-affinity terms, grouped by template.
//
// An incoming pod is matched against each distinct template's terms once, not against each pod.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "cluster/node_table.h"

namespace berth::cluster {

class AffinityIndex {
 public:
  struct Placement {
    NodeSlot slot;
    int32_t count = 0;
  };
  struct Group {
    PodTemplatePtr pod_template;
    std::vector<Placement> placements;  // Sorted by slot; counts > 0.
  };

  // Templates with any term, in order of template id (that is, of first appearance).
  const std::map<uint64_t, Group>& groups() const { return groups_; }

  void PodAdded(NodeSlot slot, const PodInfo& pod);
  void PodRemoved(NodeSlot slot, const PodInfo& pod);

 private:
  std::map<uint64_t, Group> groups_;
};

}  // namespace berth::cluster
