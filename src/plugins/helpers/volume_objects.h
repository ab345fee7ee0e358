// SPDX-License-Identifier: Apache-2.0
// Claims, volumes and storage classes for tests, in one expression.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/objects/storage.h"
#include "cluster/cluster.h"
#include "cluster/test_builders.h"
#include "plugins/helpers/volume_claims.h"

namespace berth::plugins {

inline api::NodeSelector NodesWith(std::string key, std::vector<std::string> values) {
  api::NodeSelector selector;
  selector.terms.push_back({.match_expressions = {{std::move(key), "In", std::move(values)}}, .match_fields = {}});
  return selector;
}

inline api::StorageClass MakeClass(std::string name, std::string provisioner,
                                   std::string mode = std::string(kWaitForFirstConsumer)) {
  api::StorageClass storage_class;
  storage_class.meta.name = std::move(name);
  storage_class.provisioner = std::move(provisioner);
  storage_class.volume_binding_mode = std::move(mode);
  return storage_class;
}

// An unbound claim in namespace "default".
inline api::PersistentVolumeClaim MakeClaim(std::string name, std::string class_name, const char* size = "1Gi") {
  api::PersistentVolumeClaim claim;
  claim.meta.ns = "default";
  claim.meta.uid = "uid-" + name;
  claim.meta.resource_version = "1";
  claim.meta.name = std::move(name);
  claim.storage_class_name = std::move(class_name);
  claim.access_modes = {"ReadWriteOnce"};
  claim.requests = cluster::Amounts({{"storage", size}});
  claim.phase = "Pending";
  return claim;
}

inline api::PersistentVolumeClaim MakeBoundClaim(std::string name, std::string volume) {
  api::PersistentVolumeClaim claim = MakeClaim(std::move(name), "standard");
  claim.volume_name = std::move(volume);
  claim.phase = "Bound";
  claim.meta.annotations.Set(std::string(kBindCompletedAnnotation), "yes");
  return claim;
}

// An available volume without a node affinity.
inline api::PersistentVolume MakeVolume(std::string name, std::string class_name, const char* size = "1Gi") {
  api::PersistentVolume volume;
  volume.meta.resource_version = "1";
  volume.meta.name = std::move(name);
  volume.storage_class_name = std::move(class_name);
  volume.access_modes = {"ReadWriteOnce"};
  volume.capacity = cluster::Amounts({{"storage", size}});
  volume.phase = "Available";
  return volume;
}

inline api::PersistentVolume MakeCsiVolume(std::string name, std::string driver) {
  api::PersistentVolume volume = MakeVolume(name, "standard");
  volume.source.source = api::Volume::Source::kCsi;
  volume.csi_driver = std::move(driver);
  volume.csi_handle = std::move(name);
  return volume;
}

inline api::CsiNode MakeCsiNode(std::string name, std::vector<api::CsiNode::Driver> drivers = {}) {
  api::CsiNode node;
  node.meta.name = std::move(name);
  node.drivers = std::move(drivers);
  return node;
}

}  // namespace berth::plugins
