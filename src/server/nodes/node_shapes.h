// SPDX-License-Identifier: Apache-2.0
// NodeShape: how some simulated nodes look alike, and the nodes made from shapes.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

struct NodeShape {
  std::string name = "node";  // Nodes are called name-1, name-2 and so on.
  uint32_t count = 1;
  // What a node has: cpu, memory, pods, devices such as nvidia.com/gpu; amounts as Kubernetes writes them.
  Json resources;
  std::vector<std::string> zones;  // Nodes are dealt out to them in turn.
  Json labels = Json::MakeMap();
  Json taints = Json::MakeList();
};

// `count` nodes with 8 cores, 32Gi and room for 110 pods, in three zones.
std::vector<NodeShape> DefaultShapes(uint32_t count);

// Reads shapes from YAML or JSON: a list `nodes` of maps with name, count, resources, zones, labels and taints. Errors
// name the place and what is expected there, with `line N: ` in front where it is known; so do those of the API server
// about the nodes that it would refuse.
Result<std::vector<NodeShape>> ParseShapes(std::string_view text);

// The nodes, in canonical form and ready.
std::vector<Json> MakeNodes(const std::vector<NodeShape>& shapes, Time now);

}  // namespace berth::server
