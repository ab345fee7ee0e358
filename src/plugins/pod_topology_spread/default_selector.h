// SPDX-License-Identifier: Apache-2.0
// DefaultSelector: which pods belong together with a pod, as told by its services and its controller.
//
// The selectors of all services of the namespace that select the pod, and that of its controller if this is a
// ReplicationController, ReplicaSet or StatefulSet, must match. Empty when there is none.

#pragma once

#include "api/selector.h"
#include "cluster/object_store.h"
#include "cluster/pod_info.h"

namespace berth::plugins::spread {

api::Selector DefaultSelector(const cluster::PodInfo& pod, const cluster::Objects& objects);

}  // namespace berth::plugins::spread
