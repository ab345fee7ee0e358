// SPDX-License-Identifier: Apache-2.0
// AffinityIndex: the pods on nodes that carry pod affinity or anti-affinity terms, grouped by template.
//
// An incoming pod is matched against each distinct template's terms once, not against each pod.
//
// Thread: core.

#pragma once

#include <cstdint>

#include "cluster/placements.h"
#include "cluster/pod_info.h"
#include "cluster/tables/chunked_map.h"

namespace berth::cluster {

class AffinityIndex {
 public:
  struct Group {
    PodTemplatePtr pod_template;
    Placements placements;
  };

  // Templates with any term, in order of template id (that is, of first appearance).
  const ChunkedMap<uint64_t, Group>& groups() const { return groups_; }

  void PodAdded(NodeSlot slot, const PodInfo& pod);
  void PodRemoved(NodeSlot slot, const PodInfo& pod);

 private:
  ChunkedMap<uint64_t, Group> groups_;
};

}  // namespace berth::cluster
