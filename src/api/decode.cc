// SPDX-License-Identifier: Apache-2.0
#include "api/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "api/decode_kinds.h"
#include "api/field_reader.h"

namespace berth::api {
namespace {

template <class T, Result<T> (*decode)(Value)>
Result<Object> ToObject(Value value) {
  return BERTH_TRY(decode(value));
}

struct KindDecoder {
  std::string_view kind;
  std::string_view group;  // Of the apiVersion; empty for the core group.
  Result<Object> (*decode)(Value);
};

constexpr std::array<KindDecoder, 20> kDecoders = {{
    {"Pod", "", ToObject<Pod, DecodePod>},
    {"Node", "", ToObject<Node, DecodeNode>},
    {"Namespace", "", ToObject<Namespace, DecodeNamespace>},
    {"Service", "", ToObject<Service, DecodeService>},
    {"ReplicationController", "", ToObject<ReplicationController, DecodeReplicationController>},
    {"PersistentVolume", "", ToObject<PersistentVolume, DecodePersistentVolume>},
    {"PersistentVolumeClaim", "", ToObject<PersistentVolumeClaim, DecodePersistentVolumeClaim>},
    {"ReplicaSet", "apps", ToObject<ReplicaSet, DecodeReplicaSet>},
    {"StatefulSet", "apps", ToObject<StatefulSet, DecodeStatefulSet>},
    {"PodDisruptionBudget", "policy", ToObject<PodDisruptionBudget, DecodePodDisruptionBudget>},
    {"PriorityClass", "scheduling.k8s.io", ToObject<PriorityClass, DecodePriorityClass>},
    {"StorageClass", "storage.k8s.io", ToObject<StorageClass, DecodeStorageClass>},
    {"CSINode", "storage.k8s.io", ToObject<CsiNode, DecodeCsiNode>},
    {"CSIDriver", "storage.k8s.io", ToObject<CsiDriver, DecodeCsiDriver>},
    {"CSIStorageCapacity", "storage.k8s.io", ToObject<CsiStorageCapacity, DecodeCsiStorageCapacity>},
    {"VolumeAttachment", "storage.k8s.io", ToObject<VolumeAttachment, DecodeVolumeAttachment>},
    {"ResourceClaim", "resource.k8s.io", ToObject<ResourceClaim, DecodeResourceClaim>},
    {"ResourceSlice", "resource.k8s.io", ToObject<ResourceSlice, DecodeResourceSlice>},
    {"DeviceClass", "resource.k8s.io", ToObject<DeviceClass, DecodeDeviceClass>},
    {"DeviceTaintRule", "resource.k8s.io", ToObject<DeviceTaintRule, DecodeDeviceTaintRule>},
}};

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace

Result<Object> DecodeObject(Value value) {
  FieldReader r(value);
  std::string kind;
  std::string api_version;
  r.Read("kind", kind);
  r.Read("apiVersion", api_version);
  if (kind.empty()) r.Fail("kind is missing");
  if (!r.ok()) return std::unexpected(r.error());
  return DecodeObjectAs(kind, api_version, value);
}

Result<Object> DecodeObjectAs(std::string_view kind, std::string_view api_version, Value value) {
  if (api_version.empty()) {
    FieldReader r(value);
    r.Fail("apiVersion is missing");
    return std::unexpected(r.error(kind));
  }
  const auto* decoder = std::find_if(kDecoders.begin(), kDecoders.end(), [&](const KindDecoder& candidate) {
    return candidate.kind == kind && candidate.group == GroupOf(api_version);
  });
  if (decoder == kDecoders.end()) {
    return Fail(Code::kNotFound, fmt::format("kind {} of {} is not read by the scheduler", kind, api_version));
  }
  return decoder->decode(value);
}

}  // namespace berth::api
