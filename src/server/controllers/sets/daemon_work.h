// SPDX-License-Identifier: Apache-2.0
// What there is to do about the pods of a DaemonSet, given its nodes and the pods that it has for each.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "server/controllers/owned_pods.h"
#include "server/controllers/sets/daemon_placement.h"

namespace berth::server {

struct DaemonNode {
  std::string name;
  bool exists = true;  // Else pods were made for it, and it is gone.
  DaemonFit fit = DaemonFit::kNone;
  std::vector<PodInfo> pods;  // The one that counts comes first; without those that have ended and are about to go.
};

// How pods are told apart.
struct DaemonPods {
  std::function<bool(const PodInfo& pod)> is_updated;  // Made from the present template.
  Availability availability;
};

// How many nodes may have two pods while pods are replaced, and how many none that works.
struct DaemonLimits {
  int64_t surge = 0;
  int64_t unavailable = 1;
};
// By the spec of a DaemonSet for so many nodes.
DaemonLimits LimitsOf(const Json& spec, int64_t nodes);

struct DaemonWork {
  std::vector<std::string> empty_nodes;  // Where a pod is to be made.
  std::vector<PodInfo> unwanted;
  std::vector<PodInfo> ended;  // They make room for others.

  bool empty() const { return empty_nodes.empty() && unwanted.empty() && ended.empty(); }
};

// Adds what makes a node have the pod that it should have, whatever its revision.
void AddUpkeep(const DaemonNode& node, const DaemonPods& pods, bool allows_surge, DaemonWork& work);

// What moves pods on to the present template, as far as the limits allow it.
DaemonWork NextReplacements(const std::vector<DaemonNode>& nodes, const DaemonPods& pods, const DaemonLimits& limits);

}  // namespace berth::server
