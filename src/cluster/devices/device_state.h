// SPDX-License-Identifier: Apache-2.0
// DeviceState: devices, who has them, and which are about to be given away.
//
// It follows the claims, slices, classes and taint rules of the object stores. A claim that a pod in its binding cycle
// will get devices for is in flight: its devices count as allocated from the decision on. Once the stored claim is
// allocated, that counts instead. Pods of a group may share what is in flight, and each of them writes it. A write that
// is under way may be carried out even if its pod is given up meanwhile, so the devices are held until no pod needs
// them any more and all writes have ended.
//
// Thread: core. Plugins read it; Reserve and Unreserve change what is in flight.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/objects/resource_claim.h"
#include "cluster/devices/device_options.h"
#include "cluster/devices/device_selectors.h"
#include "cluster/devices/device_uses.h"
#include "cluster/devices/extended_resources.h"
#include "cluster/devices/resource_pools.h"
#include "cluster/tables/object_store.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"
#include "cluster/tables/table_size.h"

namespace berth::cluster {

inline constexpr std::string_view kExtendedResourceClaimAnnotation = "resource.kubernetes.io/extended-resource-claim";

class DeviceState {
 public:
  using ClaimPtr = std::shared_ptr<const api::ResourceClaim>;

  // REQUIRES: `objects` lives as long as this.
  DeviceState(Objects& objects, const DeviceOptions& options);
  // The same for a copy of the cluster, whose devices begin as those of `other`.
  DeviceState(Objects& objects, const DeviceState& other);
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  const DeviceOptions& options() const { return options_; }
  const ResourcePools& pools() const { return pools_; }
  const DeviceUses& uses() const { return uses_; }
  const ExtendedResources& extended_resources() const { return extended_resources_; }
  const DeviceSelectors& selectors() const { return *selectors_; }

  // Counts what may change the devices that nodes see, or who has them.
  uint64_t change_count() const { return pools_.change_count(); }
  // The last change that the node may see. Nodes themselves do not count.
  uint64_t LastChangeFor(std::string_view node) const { return pools_.LastChangeFor(node); }

  // One more pod needs the allocation that is on its way to the claim with this uid. False, and nothing is recorded, if
  // the claim is allocated by now. Members of a group share what one of them got in the same `attempt`; 0: it is of no
  // group. REQUIRES: nothing else is in flight for the claim.
  bool AddInFlight(const std::string& uid, api::AllocationResult allocation, uint64_t attempt = 0);
  // The allocation in flight if it was made in this attempt of a group, or nullptr.
  const api::AllocationResult* InFlightOf(std::string_view uid, uint64_t attempt) const;
  // One pod less needs it: it was given up, or has its claim. False if there is none, or others need it still. One that
  // is being written is abandoned: it goes when the last write has ended.
  bool RemoveInFlight(std::string_view uid);
  bool IsInFlight(std::string_view uid) const { return in_flight_.contains(uid); }
  // Nobody waits for it any more, but it is still being written.
  bool IsAbandoned(std::string_view uid) const {
    const auto found = in_flight_.find(uid);
    return found != in_flight_.end() && found->second.is_abandoned();
  }

  // The claim is being written, by one more pod: what is in flight is held until WriteEnds. False if nothing is, and
  // then nothing has to end.
  bool WriteBegins(std::string_view uid);
  // REQUIRES: WriteBegins returned true.
  void WriteEnds(std::string_view uid);

  // The claim that was made for the extended resources of the pod, or nullptr.
  ClaimPtr ExtendedResourceClaim(std::string_view pod_uid) const;

  void AppendSizes(TableSizes& sizes) const;

 private:
  struct InFlight {
    api::AllocationResult allocation;
    uint64_t attempt = 0;
    size_t sharers = 0;  // Pods that need it.
    size_t writes = 0;   // Under way.
    bool counts = false;

    bool is_abandoned() const { return sharers == 0; }
  };

  void Follow(Objects& objects);
  void ClaimChanged(const ClaimPtr& before, const ClaimPtr& after);
  void SetCounts(InFlight& in_flight, bool counts);
  void End(StringMap<InFlight>::iterator in_flight);
  void AddUses(const api::AllocationResult& allocation);
  void RemoveUses(const api::AllocationResult& allocation);
  void UsesChanged(const api::AllocationResult& allocation);

  DeviceOptions options_;
  ResourcePools pools_{options_};
  DeviceUses uses_{options_};
  ExtendedResources extended_resources_;
  // Shared by all copies, because slices, which they share too, remember answers by the selector's id.
  std::shared_ptr<const DeviceSelectors> selectors_;
  StringMap<InFlight> in_flight_;                    // By the claim's uid.
  ShardedMap<StringMap<ClaimPtr>> allocated_;        // Stored claims that are allocated, by uid.
  ShardedMap<StringMap<ClaimPtr>> extended_claims_;  // By the pod's uid.
};

}  // namespace berth::cluster
