// SPDX-License-Identifier: Apache-2.0
// CounterfactualSearch: tries changes of one pod, or of what stands in its way, one at a time.
//
// A pod of a group is changed together with the members that are like it, and tried with its group, on a copy of the
// core. What is done to claims is tried on copies as well.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "api/objects/resource_claim.h"
#include "cluster/node_table.h"
#include "cluster/pod_groups.h"
#include "explain/counterfactual.h"

namespace berth::explain {

class CounterfactualSearch {
 public:
  // REQUIRES: a profile has the pod's scheduler name.
  CounterfactualSearch(scheduler::Core& core, const cluster::PodInfo& pod, Time now, Pacer& pacer);

  // Everything: first what becomes of the pod as it is.
  Result<CounterfactualAnswer> Run();

 private:
  using What = decltype(scheduler::Input::what);

  struct Finding {
    bool is_placed = false;
    std::string node;
    std::string nominated_node;
    std::vector<std::string> victims;
    std::string message;
  };

  // A request of a pod for devices, or an alternative of one.
  struct DeviceRequestPlace {
    api::ExactDeviceRequest* request;
    std::string path;  // In the claim's manifest.
  };

  // What would be decided about this pod.
  Finding Try(const api::Pod& pod) const;
  // The same in another core; pods of groups are not tried there.
  Finding TryAlone(scheduler::Core& core, const api::Pod& pod) const;
  // What would be decided about the pod in a copy that was told of these first.
  Finding TryAfter(std::vector<What> told) const;
  // About the pod and its group in that copy.
  Finding TryGroup(scheduler::Core& copy) const;
  // All nodes on which this pod fits alone; none if it is kept out for another reason.
  std::vector<cluster::NodeSlot> FitsOn(const api::Pod& pod) const;

  // Each writes the change down if the pod would be placed, and says whether it would.
  // The pod is like `changed`, by these operations on its manifest, and so are the members that are like it.
  Result<bool> Consider(const api::Pod& changed, std::vector<api::Json> operations, Counterfactual change);
  // A node is as given, or new.
  Result<bool> ConsiderNode(const api::Node& node, Counterfactual change);
  // The core was told of these.
  Result<bool> ConsiderAfter(std::vector<What> told, Counterfactual change);
  bool Note(Finding finding, Counterfactual change);

  // The largest number from `least` up to below `present` with which the pod is placed; nothing if it is with none.
  Result<std::optional<int64_t>> Largest(int64_t least, int64_t present,
                                         const std::function<Finding(int64_t)>& try_with) const;

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
  Result<void> TryVolumes();
  Result<void> TryRequests();
  Result<void> TryRequest(const std::string& resource);
  Result<void> TryLoweringOfMembers(const std::string& resource);
  Result<void> TryFreeing(const std::string& resource, cluster::NodeSlot slot, int64_t missing);
  Result<void> TryPodSlots();
  Result<void> TryPriority();
  Result<void> TryMoreNodes();
  Result<void> TryClaims();
  Result<void> TryDropping(size_t claim);
  Result<void> TryRelaxing(const api::PodResourceClaim& entry, const api::ResourceClaim& claim);
  Result<void> TryRequestOf(const api::ResourceClaim& claim, const ObjectPatch& patch,
                            const std::function<DeviceRequestPlace(api::ResourceClaim&)>& place);
  Result<void> TryFreeingDevices();
  Result<void> TryMinCount();

  bool IsBlamed(std::string_view reason) const;
  bool is_member() const { return root_.has_value(); }

  scheduler::Core& core_;
  const api::Pod pod_;
  const framework::Profile& profile_;
  const Time now_;
  Pacer& pacer_;
  std::optional<cluster::GroupKey> root_;  // What is queued for the pod; nothing: itself.
  std::vector<cluster::PodPtr> alike_;     // It and the waiting members of its group that want the same.
  std::vector<std::pair<std::string, cluster::NodeSlot>>
      reasons_;  // Of the pod as it is, one for each node and reason.
  std::vector<Counterfactual> found_;
};

}  // namespace berth::explain
