// SPDX-License-Identifier: Apache-2.0
// Controllers: the other components of a cluster that scheduling depends on.
//
// Pods that are being deleted go after their grace period, and owners replace them; pods on nodes that are gone are
// collected. Volumes that the scheduler has chosen are bound, and claims that it has given a node, or that need none,
// get a new volume. Foreign pods are put on nodes by a scheduler of their own. Each acts a while after what it reacts
// to.

#pragma once

#include "sim/core/api_model.h"

namespace berth::sim {

class Controllers {
 public:
  // REQUIRES: the server outlives this.
  Controllers(runtime::Agenda& agenda, Dice& dice, ApiModel& server);
  Controllers(const Controllers&) = delete;
  Controllers& operator=(const Controllers&) = delete;

 private:
  void Written(const api::Object& object);
  void Removed(const api::Object& object);
  bool HasPod(const std::string& uid) const;
  // The claim that was made for the extended resources of a pod that is gone.
  void RemoveOwned(const std::string& pod_uid);
  void EndGrace(const std::string& ns, const std::string& name, const std::string& uid);
  void BindForeign(const std::string& ns, const std::string& name);
  void CollectFrom(const std::string& node_name);
  void SettleClaim(const std::string& ns, const std::string& name);
  void Provision(const api::PersistentVolumeClaim& claim);
  void BindClaim(const std::string& volume_name);
  // Whether a pod, or a group with pods, still needs the claim.
  bool IsInUse(const std::string& ns, const api::ResourceClaimConsumer& consumer) const;
  // Releases reservations of pods and groups that are gone, and devices that nobody has reserved.
  void SettleResourceClaim(const std::string& ns, const std::string& name);
  void Later(Duration most, std::function<void()> what) { agenda_.After(dice_.UpTo(most), std::move(what)); }

  runtime::Agenda& agenda_;
  Dice& dice_;
  ApiModel& server_;
  int64_t made_ = 0;
};

}  // namespace berth::sim
