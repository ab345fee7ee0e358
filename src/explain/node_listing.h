// SPDX-License-Identifier: Apache-2.0
// NodeListing: what runs on a node and what it requests there, and which pods that wait it refused.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/document/json_writer.h"
#include "base/result.h"
#include "cluster/resources.h"
#include "scheduler/core.h"

namespace berth::explain {

struct NodeListing {
  struct Pod {
    std::string ns, name;
    std::string owner;  // "ReplicaSet web-5d7c"; empty: none.
    int32_t priority = 0;
    cluster::Resources requests;
  };
  std::string node;
  size_t count = 0;       // Of all pods that count there, assumed ones included.
  std::vector<Pod> pods;  // The first by namespace and name.

  // Pods that wait and were turned down by the node when they were last tried, by plugin and reason.
  struct Refusal {
    static constexpr size_t kExamplesMax = 5;
    std::string plugin, reason;
    size_t pods = 0;
    std::vector<std::string> examples;  // "namespace/name".
  };
  static constexpr size_t kWaitingMax = 10'000;  // So many pods are looked at.
  std::vector<Refusal> refusals;                 // Those of most pods first.
  bool all_waiting = true;                       // False: more pods wait than were looked at.
};

// Fails with Code::kNotFound if there is no such node.
Result<NodeListing> ListNode(const scheduler::Core& core, const std::string& node, size_t limit);
void WriteNodeListing(api::JsonWriter& json, const NodeListing& answer);

}  // namespace berth::explain
