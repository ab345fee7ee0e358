// SPDX-License-Identifier: Apache-2.0
// CoscheduledGroup: pods that start together or not at all, as the scheduler plugins of kubernetes-sigs have it.
//
// It is the PodGroup of scheduling.x-k8s.io, a custom resource. Pods name their group in a label. The PodGroup of
// Kubernetes itself is in pod_group.h.

#pragma once

#include <cstdint>
#include <optional>

#include "api/objects/meta.h"
#include "api/parts/resource_list.h"

namespace berth::api {

struct CoscheduledGroup {
  ObjectMeta meta;
  int32_t min_member = 0;                           // How many pods must have a node before the first is bound.
  std::optional<ResourceList> min_resources;        // What must be free for them before the first is tried.
  std::optional<int32_t> schedule_timeout_seconds;  // How long a pod that has a node waits for the others.

  bool operator==(const CoscheduledGroup&) const = default;
};

}  // namespace berth::api
