// SPDX-License-Identifier: Apache-2.0
// What a node is, and what its pods request, as JSON for those who draw it.
//
// Amounts are by resource: cpu in thousandths of a core, the rest in units. Devices of a driver that belong to the node
// are counted under "devices/DRIVER".

#pragma once

#include <cstdint>

#include "api/document/json_writer.h"
#include "cluster/cluster.h"

namespace berth::explain {

// REQUIRES, of both: the row has a Node object. They write members of an object that is open.
// {"hostname", "ready", "cordoned", "taints", "labels", "capacity"}: many nodes have these alike. `hostname` says that
// the label of that name has the node's name; it is not among the labels then.
void WriteNodeKind(api::JsonWriter& json, const cluster::Cluster& cluster, uint32_t slot);
// {"used"}
void WriteNodeUse(api::JsonWriter& json, const cluster::Cluster& cluster, uint32_t slot);

}  // namespace berth::explain
