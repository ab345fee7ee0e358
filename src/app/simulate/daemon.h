// SPDX-License-Identifier: Apache-2.0
// Pods of DaemonSets: where they run and how they are tied to their node.

#pragma once

#include <string>

#include "api/objects/node.h"
#include "api/objects/pod.h"

namespace berth::simulate {

// Daemons run where others do not: under pressure, on cordoned and on failing nodes.
void AddDaemonTolerations(api::PodSpec& spec);

// Whether the controller makes a pod for the node. REQUIRES: the daemon's tolerations are in `spec`.
bool ShouldRunDaemon(const api::PodSpec& spec, const api::Node& node);

// The pod can go to this node only.
void PinToNode(const std::string& node_name, api::PodSpec& spec);

// The node that a daemon's pod runs on or is tied to; empty if there is none.
std::string DaemonNode(const api::Pod& pod);

}  // namespace berth::simulate
