// SPDX-License-Identifier: Apache-2.0
// VolumeController: stands in for the volume controller and the provisioners.
//
// Claims that need not wait for a pod are bound to the smallest volume that matches, or get a new one if their storage
// class has a provisioner. Claims that wait for their first consumer are bound when the scheduler has chosen a node. A
// new volume can be used where the driver's topology on that node says; one that was made without a node in mind, where
// the class allows.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/objects/object.h"
#include "cluster/cluster.h"
#include "framework/effects.h"

namespace berth::simulate {

// A claim that got its volume.
struct VolumeBinding {
  std::string claim;  // "namespace/name".
  std::string volume;
  bool is_new = false;  // The volume was provisioned for the claim.
};

class VolumeController {
 public:
  using Put = std::function<void(api::Object)>;

  // `put` brings an object into `cluster` before it returns.
  // REQUIRES: the cluster outlives this and has the storage classes, nodes and CSI objects when claims are added.
  VolumeController(const cluster::Cluster& cluster, Put put) : cluster_(cluster), put_(std::move(put)) {}

  void AddVolume(api::PersistentVolume volume) { Store(std::move(volume)); }
  void AddClaim(api::PersistentVolumeClaim claim) { Store(std::move(claim)); }

  // Settles the claims that need no pod, in order of name. Returns notes for the user.
  std::vector<std::string> SettleAll();
  // The same for one claim; the note is empty if there is nothing to say.
  std::string Settle(const api::PersistentVolumeClaim& claim);

  // What the scheduler asks for once it has chosen a node.
  VolumeBinding Carry(const framework::UpdatePersistentVolume& update);
  VolumeBinding Carry(const framework::UpdatePersistentVolumeClaim& update);

 private:
  void Store(api::PersistentVolume volume);
  void Store(api::PersistentVolumeClaim claim);
  VolumeBinding Bind(api::PersistentVolume volume, api::PersistentVolumeClaim claim);
  // `node` is nullptr where none was chosen.
  VolumeBinding Provision(const api::PersistentVolumeClaim& claim, const api::StorageClass& storage_class,
                          const api::Node* node);
  const api::PersistentVolume* FindVolume(const api::PersistentVolumeClaim& claim, bool reserved_only) const;
  std::optional<api::NodeSelector> Reach(const api::StorageClass& storage_class, const api::Node* node) const;
  const api::Node* FindNode(std::string_view name) const;
  const cluster::Objects& objects() const { return cluster_.objects; }

  const cluster::Cluster& cluster_;
  Put put_;
  uint64_t version_ = 0;
};

}  // namespace berth::simulate
