// SPDX-License-Identifier: Apache-2.0
// PodInfo: one version of a pod as the scheduler keeps it, immutable and shared.
//
// What pods made from one template have in common (namespace, controller, spec and everything computed from them) is
// kept once, in a PodTemplate; equal label maps are kept once, in a LabelSet. So a pod costs a few hundred bytes, and
// work that depends only on the template or on the labels is done once per distinct one.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "cluster/resources.h"

namespace berth::cluster {

// A distinct map of pod labels. Ids grow and are never reused.
struct LabelSet {
  uint64_t id = 0;
  api::Labels labels;
};
using LabelSetPtr = std::shared_ptr<const LabelSet>;

// A compiled pod affinity or anti-affinity term.
struct AffinityTerm {
  std::string topology_key;
  std::vector<std::string> namespaces;  // Sorted, unique.
  api::Selector namespace_selector = api::Selector::Nothing();
  api::Selector selector;
  int32_t weight = 0;  // Preferred terms only.

  // Whether a pod in `ns` with `labels` matches; `namespace_labels` are the labels of its namespace.
  bool Matches(const std::string& ns, const api::Labels& labels, const api::Labels& namespace_labels) const;
};

struct PodTemplate {
  uint64_t id = 0;  // Grows, never reused.
  std::string ns;
  api::OwnerReference controller;  // Empty kind: none.
  api::PodSpec spec;

  // Computed from the above.
  Resources requests;  // Spec only: what the pod needs to be scheduled, and what it counts for on a node unless its
                       // status differs.
  // What resource scoring assumes for the pod: containers without cpu (memory) count as 100m (200Mi), and
  // pod-level requests do not count.
  Resources scoring_requests;
  int64_t nonzero_cpu_milli = 0;
  int64_t nonzero_memory_bytes = 0;
  std::vector<api::HostPort> host_ports;  // ip and protocol filled in; regular containers and sidecars.
  std::vector<AffinityTerm> required_affinity;
  std::vector<AffinityTerm> required_anti_affinity;
  std::vector<AffinityTerm> preferred_affinity;
  std::vector<AffinityTerm> preferred_anti_affinity;
  std::string affinity_error;  // Why terms did not compile; such a list of terms is empty.

  bool has_affinity() const {
    return !required_affinity.empty() || !required_anti_affinity.empty() || !preferred_affinity.empty() ||
           !preferred_anti_affinity.empty();
  }
  int32_t priority() const { return spec.priority.value_or(0); }
};
using PodTemplatePtr = std::shared_ptr<const PodTemplate>;

// Requests of a pod whose status says something else than its spec (in-place resize).
struct ResizedRequests {
  Resources requests;
  int64_t nonzero_cpu_milli = 0;
  int64_t nonzero_memory_bytes = 0;
};

struct PodInfo {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string node_name;            // Empty: pending.
  std::string nominated_node_name;  // status.nominatedNodeName.
  PodTemplatePtr pod_template;
  LabelSetPtr label_set;
  std::shared_ptr<const ResizedRequests> resized;  // Usually null.
  std::shared_ptr<const api::PodStatus>
      status;              // Conditions, claim and container statuses; null when it has none of them.
  api::SourceText source;  // As it was reported: without the node for which the pod is assumed.
  std::optional<Time> creation_timestamp;
  std::optional<Time> deletion_timestamp;
  std::optional<Time> start_time;
  int64_t generation = 0;
  // It runs on its node and is to be resized there, which its kubelet has put off for want of room. Such a pod is
  // queued like one without a node, so that others give way to it. Only with the gate that says so.
  bool awaits_resize = false;

  const std::string& ns() const { return pod_template->ns; }
  const api::PodSpec& spec() const { return pod_template->spec; }
  const api::Labels& labels() const { return label_set->labels; }
  int32_t priority() const { return pod_template->priority(); }
  bool is_terminating() const { return deletion_timestamp.has_value(); }
  // What the pod holds on its node.
  const Resources& requests() const { return resized ? resized->requests : pod_template->requests; }
  int64_t nonzero_cpu_milli() const { return resized ? resized->nonzero_cpu_milli : pod_template->nonzero_cpu_milli; }
  int64_t nonzero_memory_bytes() const {
    return resized ? resized->nonzero_memory_bytes : pod_template->nonzero_memory_bytes;
  }
  std::string full_name() const { return ns() + "/" + name; }
  const api::PodCondition* Condition(std::string_view type) const { return status ? status->Condition(type) : nullptr; }
};
using PodPtr = std::shared_ptr<const PodInfo>;

// Whether two versions are of the same pod.
inline bool SamePod(const PodInfo& a, const PodInfo& b) { return a.uid == b.uid; }

}  // namespace berth::cluster
