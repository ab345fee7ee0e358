// SPDX-License-Identifier: Apache-2.0
// What the queueing hints of several plugins ask.

#pragma once

#include "framework/events.h"

namespace berth::plugins {

inline framework::QueueingHint QueueIf(bool may_help) {
  return may_help ? framework::QueueingHint::kQueue : framework::QueueingHint::kSkip;
}

// Whether the pod takes room somewhere: it is on a node or nominated to one.
inline bool TakesRoom(const cluster::PodInfo& pod) {
  return !pod.node_name.empty() || !pod.nominated_node_name.empty();
}

}  // namespace berth::plugins
