// SPDX-License-Identifier: Apache-2.0
// Where the pods of a DaemonSet belong: which nodes they fit on, and how a pod is tied to its node.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/controllers/pod_index.h"
#include "server/model/json.h"
#include "server/store/stored_object.h"

namespace berth::server {

// Adds to the spec of a pod what daemons tolerate, whatever their template says.
void AddDaemonTolerations(Json& spec);

enum class DaemonFit : uint8_t {
  kNone,   // A pod that is there goes.
  kStays,  // A pod that is there stays, but none is made: the node has a taint that keeps new pods away.
  kFits,
};

// `spec` is that of the pods, with its tolerations.
DaemonFit FitOf(const Json& spec, const StoredObject& node);

// Ties the pod to the node through affinity, so that the scheduler places it.
void PinToNode(Json& spec, std::string_view node);
// The node that a pod is on, or was made for.
std::string PinnedNode(const PodInfo& pod);

}  // namespace berth::server
