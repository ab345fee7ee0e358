// SPDX-License-Identifier: Apache-2.0
// CounterfactualSearch: tries changes of one pod, or of a node for it, one at a time.
//
// Thread: core.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "cluster/node_table.h"
#include "explain/counterfactual.h"

namespace berth::explain {

class CounterfactualSearch {
 public:
  // REQUIRES: a profile has the pod's scheduler name.
  CounterfactualSearch(scheduler::Core& core, const cluster::PodInfo& pod, Time now, Pacer& pacer);

  // Everything: first what becomes of the pod as it is.
  Result<CounterfactualAnswer> Run();

 private:
  struct Finding {
    bool is_placed = false;
    std::string node;
    std::string nominated_node;
    std::vector<std::string> victims;
    std::string message;
  };

  // What would be decided about this pod.
  Finding Try(const api::Pod& pod) const;
  // All nodes on which this pod fits; none if it is kept out for another reason.
  std::vector<cluster::NodeSlot> FitsOn(const api::Pod& pod) const;
  // Writes the change down if the pod would be placed; whether it would.
  Result<bool> Consider(const api::Pod& changed, Counterfactual change);
  // The same for a node that is as given, or new.
  Result<bool> ConsiderNode(const api::Node& node, Counterfactual change);

  // One kind of change each.
  Result<void> TryGates();
  Result<void> TryTolerations();
  Result<void> TryUncordoning();
  Result<void> TryNodeSelector();
  Result<void> TryNodeAffinity();
  Result<void> TryPodTerms(bool is_anti);
  Result<void> TryLabels();
  Result<void> TrySpreading();
  Result<void> TryPorts();
  Result<void> TryClaimsAndVolumes();
  Result<void> TryRequests();
  Result<void> TryRequest(const std::string& resource);
  Result<void> TryLowering(const std::string& resource, int64_t total, int64_t to);
  Result<void> TryFreeing(const std::string& resource, cluster::NodeSlot slot, int64_t missing);
  Result<void> TryPodSlots();
  Result<void> TryPriority();
  Result<void> TryMoreNodes();

  bool IsBlamed(std::string_view reason) const;

  scheduler::Core& core_;
  const api::Pod pod_;
  const framework::Profile& profile_;
  const Time now_;
  Pacer& pacer_;
  std::vector<std::pair<std::string, cluster::NodeSlot>>
      reasons_;  // Of the pod as it is, one for each node and reason.
  std::vector<Counterfactual> found_;
};

}  // namespace berth::explain
