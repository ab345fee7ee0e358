// SPDX-License-Identifier: Apache-2.0
// Volumes and what describes them: PersistentVolume, PersistentVolumeClaim, StorageClass, CSINode, CSIDriver,
// CSIStorageCapacity, VolumeAttachment, as far as scheduling reads them.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/objects/meta.h"
#include "api/objects/pod.h"
#include "api/parts/resource_list.h"
#include "api/parts/selector.h"

namespace berth::api {

struct ObjectReference {
  std::string kind;
  std::string api_version;
  std::string ns;
  std::string name;
  std::string uid;
  std::string resource_version;

  bool operator==(const ObjectReference&) const = default;
};

struct PersistentVolume {
  ObjectMeta meta;
  ResourceList capacity;
  std::vector<std::string> access_modes;
  std::optional<ObjectReference> claim_ref;
  std::string storage_class_name;
  std::string volume_mode;  // As written; empty means nil.
  std::optional<std::string> volume_attributes_class_name;
  std::optional<NodeSelector> node_affinity;  // spec.nodeAffinity.required.
  std::string phase;                          // status.phase.
  // The source: inline kinds as for pod volumes (kGcePersistentDisk, ...), kCsi with `driver` and `handle`.
  Volume source;
  std::string csi_driver;
  std::string csi_handle;

  bool operator==(const PersistentVolume&) const = default;
};

struct PersistentVolumeClaim {
  ObjectMeta meta;
  std::vector<std::string> access_modes;
  std::optional<LabelSelector> selector;
  ResourceList requests;
  std::string volume_name;
  std::optional<std::string> storage_class_name;
  std::string volume_mode;
  std::optional<std::string> volume_attributes_class_name;
  std::string phase;  // status.phase.

  bool operator==(const PersistentVolumeClaim&) const = default;
};

struct StorageClass {
  ObjectMeta meta;
  std::string provisioner;
  std::optional<std::string> volume_binding_mode;
  // Each term is a conjunction of (key, values); terms are ORed. From allowedTopologies[].matchLabelExpressions.
  struct TopologyTerm {
    struct Requirement {
      std::string key;
      std::vector<std::string> values;
      bool operator==(const Requirement&) const = default;
    };
    std::vector<Requirement> requirements;
    bool operator==(const TopologyTerm&) const = default;
  };
  std::vector<TopologyTerm> allowed_topologies;

  bool operator==(const StorageClass&) const = default;
};

struct CsiNode {
  ObjectMeta meta;
  struct Driver {
    std::string name;
    std::string node_id;
    std::vector<std::string> topology_keys;
    std::optional<int32_t> allocatable_count;
    bool operator==(const Driver&) const = default;
  };
  std::vector<Driver> drivers;

  bool operator==(const CsiNode&) const = default;
};

struct CsiDriver {
  ObjectMeta meta;
  std::optional<bool> storage_capacity;
  std::optional<bool> prevent_pod_scheduling_if_missing;

  bool operator==(const CsiDriver&) const = default;
};

struct CsiStorageCapacity {
  ObjectMeta meta;
  std::optional<LabelSelector> node_topology;
  std::string storage_class_name;
  std::optional<Quantity> capacity;
  std::optional<Quantity> maximum_volume_size;

  bool operator==(const CsiStorageCapacity&) const = default;
};

struct VolumeAttachment {
  ObjectMeta meta;
  std::string attacher;
  std::string node_name;
  std::optional<std::string> persistent_volume_name;
  std::optional<PersistentVolume> inline_volume;  // spec.source.inlineVolumeSpec.
  bool attached = false;                          // status.attached.

  bool operator==(const VolumeAttachment&) const = default;
};

}  // namespace berth::api
