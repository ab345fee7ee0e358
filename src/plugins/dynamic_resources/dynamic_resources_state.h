// SPDX-License-Identifier: Apache-2.0
// What DynamicResources remembers of one pod, from PreFilter until its claims are written.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/objects/resource_claim.h"
#include "framework/cycle.h"
#include "framework/observer.h"
#include "plugins/dynamic_resources/allocator/kept_allocations.h"
#include "plugins/dynamic_resources/extended_requests.h"

namespace berth::plugins {

using ClaimPtr = std::shared_ptr<const api::ResourceClaim>;

struct PodClaim {
  ClaimPtr claim;                                        // As it was when the attempt began.
  std::optional<api::NodeSelectorMatcher> nodes;         // Where its allocation can be used; absent: anywhere.
  std::optional<api::AllocationResult> allocation = {};  // That it is to get, once a node is chosen.
  std::optional<api::ResourceClaimConsumer> group = {};  // Present: it is reserved for the pod's group.
  // Another member of the group got the allocation in the same attempt; to this one it looks allocated.
  bool is_shared = false;
  // What is in flight is held for this pod: from the choice of a node until the claim is written.
  bool holds_flight = false;

  bool is_allocated() const { return claim->allocation.has_value(); }
};

// What the pod's claims get on one node.
struct NodeAllocation {
  AllocationPtr allocated;  // Null: all claims are allocated already.
  ClaimPtr extended_claim;  // That for extended resources as it is on this node, or null.
  std::vector<api::ExtendedResourceClaimStatus::Mapping> mappings;
  std::vector<api::NodeAllocatableClaimStatus> node_allocatable_claims;

  // Of the claims that are not allocated, in order.
  std::span<const api::AllocationResult> results() const {
    return allocated == nullptr ? std::span<const api::AllocationResult>() : allocated->results;
  }
};

struct DynamicResourcesState : framework::PluginState {
  std::vector<PodClaim> claims;              // Those that the pod names, then that for its extended resources.
  size_t named_count = 0;                    // Of the former.
  std::vector<std::string> claim_of_entry;   // Uids, by the entries of the pod's spec; empty where none is needed.
  bool allocates = false;                    // Some claim is not allocated.
  std::set<size_t> unavailable;              // Positions of claims that some node cannot use.
  std::map<uint32_t, NodeAllocation> nodes;  // By slot.
  NodeAllocation chosen;                     // On the node that was chosen.
  // The requests that were made last for extended resources, and of which.
  std::vector<std::string> extended_resources;
  std::optional<ExtendedRequests> extended_requests;
  ClaimPtr made_claim;  // That has them.
  // What is known of the claims as the node has them that was looked at last; null: nothing yet.
  std::shared_ptr<NodeAnswers> answers;

  // PreBind.
  size_t written = 0;  // Claims that need not be written any more.
  bool has_patched_pod = false;
  bool is_ready = false;               // Nothing is left to do.
  bool creates_claim = false;          // It is not known yet whether that has succeeded.
  std::optional<Time> waits_since;     // For binding conditions.
  framework::Moment wait_moment = {};  // The same by the observer's stopwatch.

  bool has_extended_claim() const { return claims.size() > named_count; }
  const PodClaim& extended_claim() const { return claims.back(); }
};

// How the claim for a pod's extended resources is called before it is created: by a name that no claim can have, and a
// uid.
inline constexpr std::string_view kInMemoryClaimName = "<extended-resources>";
inline std::string InMemoryClaimUid(const cluster::PodInfo& pod) { return pod.uid + "/extended-resources"; }

}  // namespace berth::plugins
