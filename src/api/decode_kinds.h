// SPDX-License-Identifier: Apache-2.0
// Decoders of single kinds, for the dispatch by kind.

#pragma once

#include <string_view>

#include "api/object.h"
#include "api/value.h"
#include "base/result.h"

namespace berth::api {

// Decodes `value` as an object of that kind and apiVersion, whatever the value says about itself. Fails as
// DecodeObject.
Result<Object> DecodeObjectAs(std::string_view kind, std::string_view api_version, Value value);

Result<Namespace> DecodeNamespace(Value value);
Result<PriorityClass> DecodePriorityClass(Value value);
Result<PodDisruptionBudget> DecodePodDisruptionBudget(Value value);
Result<Service> DecodeService(Value value);
Result<ReplicationController> DecodeReplicationController(Value value);
Result<ReplicaSet> DecodeReplicaSet(Value value);
Result<StatefulSet> DecodeStatefulSet(Value value);

Result<PersistentVolume> DecodePersistentVolume(Value value);
Result<PersistentVolumeClaim> DecodePersistentVolumeClaim(Value value);
Result<StorageClass> DecodeStorageClass(Value value);
Result<CsiNode> DecodeCsiNode(Value value);
Result<CsiDriver> DecodeCsiDriver(Value value);
Result<CsiStorageCapacity> DecodeCsiStorageCapacity(Value value);
Result<VolumeAttachment> DecodeVolumeAttachment(Value value);

Result<ResourceClaim> DecodeResourceClaim(Value value);
Result<ResourceSlice> DecodeResourceSlice(Value value);
Result<DeviceClass> DecodeDeviceClass(Value value);
Result<DeviceTaintRule> DecodeDeviceTaintRule(Value value);

}  // namespace berth::api
