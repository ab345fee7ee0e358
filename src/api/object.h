// SPDX-License-Identifier: Apache-2.0
// Object: any API object that the scheduler reads.

#pragma once

#include <string_view>
#include <variant>

#include "api/node.h"
#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/resource_slice.h"
#include "api/storage.h"
#include "api/workload.h"

namespace berth::api {

using Object = std::variant<Pod, Node, Namespace, PersistentVolume, PersistentVolumeClaim, StorageClass, CsiNode,
                            CsiDriver, CsiStorageCapacity, VolumeAttachment, PodDisruptionBudget, PriorityClass,
                            Service, ReplicationController, ReplicaSet, StatefulSet, ResourceClaim, ResourceSlice,
                            DeviceClass, DeviceTaintRule>;

// The Kubernetes kind, such as "PersistentVolumeClaim".
std::string_view KindOf(const Object& object);
const ObjectMeta& MetaOf(const Object& object);

}  // namespace berth::api
