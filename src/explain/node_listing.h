// SPDX-License-Identifier: Apache-2.0
// NodeListing: what runs on a node, and what it requests there.

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
};

// Fails with Code::kNotFound if there is no such node.
Result<NodeListing> ListNode(const scheduler::Core& core, const std::string& node, size_t limit);
void WriteNodeListing(api::JsonWriter& json, const NodeListing& answer);

}  // namespace berth::explain
