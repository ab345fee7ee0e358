// SPDX-License-Identifier: Apache-2.0
// Effects: what the core asks the world to do.
//
// The core never talks to an API server. It returns effects; whoever drives it (the live scheduler, the simulator, a test)
// carries them out and reports back.

#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/storage.h"
#include "cluster/pod_info.h"

namespace berth::framework {

// POST pods/NAME/binding.
struct BindPod {
  cluster::PodPtr pod;
  std::string node_name;
};

// Update of a PersistentVolume whose claimRef the scheduler has set.
struct UpdatePersistentVolume {
  api::PersistentVolume volume;
};

// Update of a PersistentVolumeClaim that got the selected-node annotation.
struct UpdatePersistentVolumeClaim {
  api::PersistentVolumeClaim claim;
};

// Records in a ResourceClaim that it is reserved for the pod and, unless it has one, its allocation. A claim without a
// name exists only here: it is made for the pod's extended resources, and then the pod's status says so.
struct BindClaim {
  cluster::PodPtr pod;
  api::ResourceClaim claim;  // As it was decided on.
  std::optional<api::AllocationResult> allocation;
  bool stamps_allocation = false;  // An allocation without a timestamp gets one.
  std::vector<api::ExtendedResourceClaimStatus::Mapping> request_mappings = {};
};

// Takes the reservation for the pod back.
struct UnreserveClaim {
  cluster::PodPtr pod;
  std::string claim_name;
  std::string claim_uid;
};

// Takes allocation, reservations and devices from the status of a claim, of which the scheduler knows this version.
struct DeallocateClaim {
  cluster::PodPtr pod;
  std::string claim_name;
  std::string claim_uid;
  std::string resource_version;
};

// Deletes the claim that was made for the extended resources of the pod.
struct DeleteClaim {
  cluster::PodPtr pod;
  std::string claim_name;
  std::string claim_uid;
};

// Preemption: the victim gets the DisruptionTarget condition, then it is deleted.
struct EvictPod {
  cluster::PodPtr victim;
  cluster::PodPtr preemptor;
  std::string node_name;
};

// Sets or clears status.nominatedNodeName of a pending pod.
struct NominatePod {
  cluster::PodPtr pod;
  std::string node_name;  // Empty: cleared.
};

// PATCH pods/NAME/status: what differs from the pod that the scheduler knows.
struct PatchPodStatus {
  cluster::PodPtr pod;
  std::optional<api::PodCondition> condition;
  std::optional<std::string> nominated_node_name;  // Empty: cleared.
  // What the pod's claims take of the node's own resources; empty: cleared.
  std::optional<std::vector<api::NodeAllocatableClaimStatus>> node_allocatable_claims = std::nullopt;
};

// An Event about a pod.
struct RecordEvent {
  cluster::PodPtr pod;
  std::string type;  // Normal or Warning.
  std::string reason;
  std::string action;
  std::string note;
  std::string reporter;  // Scheduler name of the profile that reports it.
};

// Reads a pod back, because it is not known what became of a binding. The pod, or its absence, is reported before the answer.
struct ReadPod {
  cluster::PodPtr pod;
};

// POST to an HTTP extender. The answer's message is the body of the response, or why there is none.
struct CallExtender {
  cluster::PodPtr pod;
  size_t extender = 0;  // Index in SchedulerConfiguration::extenders.
  std::string verb;
  std::string body;
};

// The answer to a CallExtender is no longer wanted, and none may come.
struct CancelExtenderCall {
  uint64_t id = 0;  // Of the effect.
};

using Effect = std::variant<BindPod, UpdatePersistentVolume, UpdatePersistentVolumeClaim, EvictPod, NominatePod,
                            PatchPodStatus, RecordEvent, ReadPod, CallExtender, CancelExtenderCall, BindClaim,
                            UnreserveClaim, DeallocateClaim, DeleteClaim>;
using Effects = std::vector<Effect>;

}  // namespace berth::framework
