// SPDX-License-Identifier: Apache-2.0
// Spread constraints in the form they are evaluated: selectors compiled, defaults filled in.
//
// A pod's own constraints count; a pod that states none gets the default constraints of the profile, for the pods that
// its services and its controller select.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "api/parts/selector.h"
#include "base/result.h"
#include "cluster/cluster.h"

namespace berth::plugins::spread {

enum class Kind : uint8_t { kHard, kSoft };  // DoNotSchedule and ScheduleAnyway.

struct Constraint {
  int32_t max_skew = 0;
  int32_t min_domains = 1;
  std::string topology_key;
  api::Selector selector;
  bool honor_affinity = true;  // Count only nodes that the pod's node selector and node affinity allow.
  bool honor_taints = false;   // Count only nodes whose taints the pod tolerates.
};

struct Options {
  std::vector<api::TopologySpreadConstraint> default_constraints;
  bool system_defaulted = true;       // default_constraints are the built-in ones.
  bool match_label_keys = true;       // MatchLabelKeysInPodTopologySpread.
  bool inclusion_policies = true;     // NodeInclusionPolicyInPodTopologySpread.
  bool comparison_operators = false;  // TaintTolerationComparisonOperators.
};

// The pod's constraints of this kind, own or default. Fails when a selector does not compile.
Result<std::vector<Constraint>> BuildConstraints(const cluster::PodInfo& pod, const cluster::Objects& objects,
                                                 const Options& options, Kind kind);

// How many pods of namespace `ns` the constraint counts on each node; nullptr when it counts none anywhere.
std::shared_ptr<const cluster::PodCounter> CountPods(const Constraint& constraint, const std::string& ns,
                                                     const cluster::Cluster& cluster);

}  // namespace berth::plugins::spread
