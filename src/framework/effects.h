// SPDX-License-Identifier: Apache-2.0
// Effects: what the core asks the world to do.
//
// The core never talks to an API server. It returns effects; whoever drives it (the live scheduler, the simulator, a
// test) carries them out and reports back.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/objects/pod.h"
#include "api/objects/pod_group.h"
#include "api/objects/resource_claim.h"
#include "api/objects/storage.h"
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

// Records in a ResourceClaim that it is reserved for the pod, or for its group, and, unless it has one, its allocation.
// A claim without a name exists only here: it is made for the pod's extended resources, and then the pod's status says
// so.
struct BindClaim {
  cluster::PodPtr pod;
  api::ResourceClaim claim;  // As it was decided on.
  std::optional<api::AllocationResult> allocation;
  bool stamps_allocation = false;  // An allocation without a timestamp gets one.
  std::vector<api::ExtendedResourceClaimStatus::Mapping> request_mappings = {};
  std::optional<api::ResourceClaimConsumer> group = std::nullopt;  // Present: it is reserved for this.

  // For whom the claim is reserved.
  api::ResourceClaimConsumer consumer() const {
    if (group) return *group;
    return {.api_group = "", .resource = "pods", .name = pod->name, .uid = pod->uid};
  }
};

// Takes the reservation for the pod, or for its group, back.
struct UnreserveClaim {
  cluster::PodPtr pod;
  std::string claim_name;
  std::string claim_uid;
  std::string group_uid = {};  // Empty: that for the pod.

  const std::string& consumer_uid() const { return group_uid.empty() ? pod->uid : group_uid; }
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
  cluster::PodPtr preemptor;  // Of a group: its first member.
  std::string node_name;
  std::optional<api::ObjectReference> group = std::nullopt;  // For whose sake it is; nothing: for that of the pod.

  const std::string& preemptor_uid() const { return group ? group->uid : preemptor->uid; }
  // As messages call it.
  std::string_view preemptor_type() const {
    if (!group) return "pod";
    return group->kind == "PodGroup" ? "podgroup" : "compositepodgroup";
  }
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

// PATCH podgroups/NAME/status: a condition that differs from those of the group that the scheduler knows.
struct PatchPodGroupStatus {
  std::shared_ptr<const api::PodGroup> group;
  api::PodCondition condition;
};

// An Event about a pod.
struct RecordEvent {
  cluster::PodPtr pod;
  std::string type;  // Normal or Warning.
  std::string reason;
  std::string action;
  std::string note;
  std::string reporter;                                        // Scheduler name of the profile that reports it.
  std::optional<api::ObjectReference> related = std::nullopt;  // Another object that has a part in it.
};

// Reads a pod back, because it is not known what became of a binding. The pod, or its absence, is reported before the
// answer.
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
                            UnreserveClaim, DeallocateClaim, DeleteClaim, PatchPodGroupStatus>;
using Effects = std::vector<Effect>;

}  // namespace berth::framework
