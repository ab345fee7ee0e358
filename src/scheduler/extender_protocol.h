// SPDX-License-Identifier: Apache-2.0
// The bodies that go to HTTP extenders and come from them (upstream's extender/v1 types).
//
// Requests are what kube-scheduler sends to the key: capitalised names, null for what is not given. Pods and nodes
// stand in them as they came from the API server, joined from their sources; one without a source appears with its
// metadata only. Answers are read by the rules of Go's decoder (go_json.h). What crashes kube-scheduler is an error.
//
// Thread: any; pure functions.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/node.h"
#include "base/result.h"
#include "cluster/pod_info.h"

namespace berth::scheduler {

// What the filter and prioritize verbs are sent. `by_name`: the extender knows the nodes (nodeCacheCapable).
std::string NodesRequest(const cluster::PodInfo& pod, std::span<const api::Node* const> nodes, bool by_name);

struct ExtenderVictims {
  std::vector<cluster::PodPtr> pods;
  int64_t num_pdb_violations = 0;
};
// What the preempt verb is sent. `by_uid`: the extender knows the pods (nodeCacheCapable).
std::string PreemptRequest(const cluster::PodInfo& pod, const std::map<std::string, ExtenderVictims>& candidates,
                           bool by_uid);

std::string BindRequest(const cluster::PodInfo& pod, std::string_view node_name);

struct FilterAnswer {
  std::optional<std::vector<api::Node>> nodes;  // In the extender's order, repetitions included; each with its source.
  std::optional<std::vector<std::string>> node_names;
  std::map<std::string, std::string> failed;  // Node -> why.
  std::map<std::string, std::string> failed_and_unresolvable;
  std::string error;  // Empty: none.
};
Result<FilterAnswer> DecodeFilterAnswer(std::string_view body);

struct HostPriority {
  std::string host;
  int64_t score = 0;
};
Result<std::vector<HostPriority>> DecodePrioritizeAnswer(std::string_view body);

struct MetaVictims {
  std::vector<std::string> uids;
  int64_t num_pdb_violations = 0;
};
using PreemptAnswer = std::map<std::string, MetaVictims>;  // By node.
Result<PreemptAnswer> DecodePreemptAnswer(std::string_view body);

// What went wrong with the binding, as the extender says; empty: nothing.
Result<std::string> DecodeBindAnswer(std::string_view body);

}  // namespace berth::scheduler
