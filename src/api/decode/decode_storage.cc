// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode_kinds.h"
#include "api/decode/decode_parts.h"

namespace berth::api {
namespace {

void ReadReference(FieldReader& r, ObjectReference& reference) {
  r.Read("kind", reference.kind);
  r.Read("apiVersion", reference.api_version);
  r.Read("namespace", reference.ns);
  r.Read("name", reference.name);
  r.Read("uid", reference.uid);
  r.Read("resourceVersion", reference.resource_version);
}

void ReadPersistentVolumeSpec(FieldReader& r, PersistentVolume& volume) {
  r.Read("capacity", volume.capacity);
  r.Read("accessModes", volume.access_modes);
  r.Read("claimRef", volume.claim_ref, ReadReference);
  r.Read("storageClassName", volume.storage_class_name);
  r.Read("volumeMode", volume.volume_mode);
  r.Read("volumeAttributesClassName", volume.volume_attributes_class_name);
  r.Child("nodeAffinity").Read("required", volume.node_affinity, ReadNodeSelector);
  ReadVolumeSource(r, volume.source);
  FieldReader csi = r.Child("csi");
  csi.Read("driver", volume.csi_driver);
  csi.Read("volumeHandle", volume.csi_handle);
}

void ReadTopologyRequirement(FieldReader& r, StorageClass::TopologyTerm::Requirement& requirement) {
  r.Read("key", requirement.key);
  r.Read("values", requirement.values);
}

void ReadTopologyTerm(FieldReader& r, StorageClass::TopologyTerm& term) {
  r.Read("matchLabelExpressions", term.requirements, ReadTopologyRequirement);
}

void ReadNodeDriver(FieldReader& r, CsiNode::Driver& driver) {
  r.Read("name", driver.name);
  r.Read("nodeID", driver.node_id);
  r.Read("topologyKeys", driver.topology_keys);
  r.Child("allocatable").Read("count", driver.allocatable_count);
}

}  // namespace

void ReadPersistentVolume(FieldReader& r, PersistentVolume& volume) {
  r.Read("spec", volume, ReadPersistentVolumeSpec);
  r.Child("status").Read("phase", volume.phase);
}

void ReadPersistentVolumeClaim(FieldReader& r, PersistentVolumeClaim& claim) {
  FieldReader spec = r.Child("spec");
  spec.Read("accessModes", claim.access_modes);
  spec.Read("selector", claim.selector, ReadLabelSelector);
  spec.Child("resources").Read("requests", claim.requests);
  spec.Read("volumeName", claim.volume_name);
  spec.Read("storageClassName", claim.storage_class_name);
  spec.Read("volumeMode", claim.volume_mode);
  spec.Read("volumeAttributesClassName", claim.volume_attributes_class_name);
  r.Child("status").Read("phase", claim.phase);
}

void ReadStorageClass(FieldReader& r, StorageClass& storage_class) {
  r.Read("provisioner", storage_class.provisioner);
  r.Read("volumeBindingMode", storage_class.volume_binding_mode);
  r.Read("allowedTopologies", storage_class.allowed_topologies, ReadTopologyTerm);
}

void ReadCsiNode(FieldReader& r, CsiNode& node) { r.Child("spec").Read("drivers", node.drivers, ReadNodeDriver); }

void ReadCsiDriver(FieldReader& r, CsiDriver& driver) {
  FieldReader spec = r.Child("spec");
  spec.Read("storageCapacity", driver.storage_capacity);
  spec.Read("preventPodSchedulingIfMissing", driver.prevent_pod_scheduling_if_missing);
}

void ReadCsiStorageCapacity(FieldReader& r, CsiStorageCapacity& capacity) {
  r.Read("nodeTopology", capacity.node_topology, ReadLabelSelector);
  r.Read("storageClassName", capacity.storage_class_name);
  r.Read("capacity", capacity.capacity);
  r.Read("maximumVolumeSize", capacity.maximum_volume_size);
}

void ReadVolumeAttachment(FieldReader& r, VolumeAttachment& attachment) {
  FieldReader spec = r.Child("spec");
  spec.Read("attacher", attachment.attacher);
  spec.Read("nodeName", attachment.node_name);
  FieldReader source = spec.Child("source");
  source.Read("persistentVolumeName", attachment.persistent_volume_name);
  source.Read("inlineVolumeSpec", attachment.inline_volume, ReadPersistentVolumeSpec);
  r.Child("status").Read("attached", attachment.attached);
}

}  // namespace berth::api
