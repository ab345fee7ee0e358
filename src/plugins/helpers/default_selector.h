// SPDX-License-Identifier: Apache-2.0
// Which pods belong together with a pod, as told by its services and its controller.

#pragma once

#include <vector>

#include "api/parts/selector.h"
#include "cluster/pod_info.h"
#include "cluster/tables/object_store.h"

namespace berth::plugins {

// The services of the pod's namespace that select it, in order of name. A service without a selector selects nothing,
// one with an empty selector everything.
std::vector<const api::Service*> ServicesOf(const cluster::PodInfo& pod, const cluster::Objects& objects);

// The selectors of all services that select the pod, and that of its controller if this is a ReplicationController,
// ReplicaSet or StatefulSet, as one. Empty when there is none.
api::Selector DefaultSelector(const cluster::PodInfo& pod, const cluster::Objects& objects);

}  // namespace berth::plugins
