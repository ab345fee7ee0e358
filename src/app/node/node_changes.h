// SPDX-License-Identifier: Apache-2.0
// The nodes that `berth node add` makes, and the changes that its siblings make to nodes.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::node {

using server::Json;

// `count` nodes whose names go on where those of `present` end: node-4 after node-3. They are like `model`: its labels
// but the host name, its taints but those of its state, its resources; and their names begin as its own. Without a
// model (null) they are as `berth up` makes them.
std::vector<Json> NewNodes(uint32_t count, const Json& model, const std::vector<std::string>& present);

// Patches of a node's status. `resources`: amounts by name.
Json ResizePatch(const Json& resources);
// Nothing is heard of the kubelet, or with `is_heard_of` it says that it is not ready.
Json FailPatch(const Json& node, bool is_heard_of, Time now);
// Ready, and under no pressure.
Json HealPatch(const Json& node, Time now);

}  // namespace berth::node
