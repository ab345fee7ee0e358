// SPDX-License-Identifier: Apache-2.0
// Capacity: how many more of a pod, or of a mix of pods, a cluster has room for, where, and what ends it.
//
// A pod that looks only at its node is counted by what is free there. Others are put one after the other where the
// scheduler puts them. Nobody is evicted.
//
// Cost: of the first kind one look at every node, of the second an attempt for each pod.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/document/json_tree.h"
#include "base/result.h"
#include "explain/pacer.h"
#include "explain/surroundings.h"

namespace berth::explain {

// Of pods that are put one after the other.
inline constexpr int64_t kCapacityLimit = 10'000;
inline constexpr size_t kMixMax = 100;

struct CapacityQuestion {
  std::vector<api::Json> pods;  // Manifests of pods, or of what has a template of pods. Several are a mix: one of each.
  int64_t limit = kCapacityLimit;  // Counting ends there.
};
// {"pods": [...], "limit": 100}
Result<CapacityQuestion> ParseCapacityQuestion(const api::Json& body);
api::Json ToJson(const CapacityQuestion& question);

struct CapacityAnswer {
  int64_t count = 0;                       // Of pods, or of whole mixes.
  bool is_limited = false;                 // There may be room for more: counting ended at the limit.
  std::map<std::string, int64_t> nodes;    // Pods by node; those that take none are left out.
  std::map<std::string, int64_t> zones;    // The same by zone,
  std::map<std::string, int64_t> classes;  // and by kind of node.
  std::map<std::string, int64_t> ends;     // Why no more fit: reasons, and how many nodes have each.
  std::vector<std::string> notes;
};
Result<CapacityAnswer> FindCapacity(Surroundings& surroundings, const CapacityQuestion& question, Pacer& pacer);

api::Json ToJson(const CapacityAnswer& answer);
std::string CapacityText(const api::Json& answer);

// What kind of node it is: its instance type, or else its size.
std::string NodeClass(const api::Node& node);

}  // namespace berth::explain
