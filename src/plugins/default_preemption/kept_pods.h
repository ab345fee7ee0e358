// SPDX-License-Identifier: Apache-2.0
// KeptPods: what dry runs of preemption read of the pods on nodes, in the order of importance, kept from one preemptor
// to the next.
//
// Pods are spread all over the memory, and a dry run may have to look at all of them. What it reads is kept side by
// side, and made anew for a node whose pods have changed when the node is looked at.
//
// Thread: core. Cost: 40 bytes per pod on a node that was looked at.

#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.h"
#include "framework/cycle.h"

namespace berth::plugins {

class KeptPods final : public framework::PluginState {
 public:
  struct Pod {
    const cluster::PodInfo* info = nullptr;  // To look at this takes time; what follows is near.
    const cluster::PodTemplate* from = nullptr;
    const cluster::LabelSet* label_set = nullptr;
    const cluster::Resources* requests = nullptr;
    int32_t priority = 0;
    uint32_t place = 0;  // Among the pods of its row.
  };
  struct OnNode {
    std::vector<Pod> pods;  // The most important first. Pods equal in importance are in their order on the node.
    bool any_of_group = false;
    bool is_current = false;
  };

  // Valid until the cluster changes. REQUIRES: it is the same cluster every time.
  const OnNode& On(cluster::NodeSlot node, const cluster::Cluster& cluster);

 private:
  // Takes into account what has changed.
  void Refresh(const cluster::NodeTable& nodes);

  std::vector<OnNode> nodes_;  // By slot.
  uint64_t seen_ = 0;          // Changes of the node table that are taken into account.
};

}  // namespace berth::plugins
