// SPDX-License-Identifier: Apache-2.0
// ClusterLife: users, the kubelets and the controllers of volumes and claims of the cluster that live schedulers are
// simulated on.
//
// The objects are plainer than those of Workload, which tests decisions; here something must happen all the time, and
// no one but the scheduler may overcommit a node: a node's size follows from its name.

#pragma once

#include <string>

#include "sim/core/dice.h"
#include "sim/protocol/served_cluster.h"

namespace berth::sim {

class ClusterLife {
 public:
  // REQUIRES: the others outlive this.
  ClusterLife(runtime::Agenda& agenda, Dice& dice, ServedCluster& cluster);
  ClusterLife(const ClusterLife&) = delete;
  ClusterLife& operator=(const ClusterLife&) = delete;

  // Makes the first objects and plans `changes` until `end`.
  void Start(int64_t changes, Time end);

  // What a node of that name can hold.
  static int64_t MilliCpuOf(std::string_view node);
  static int64_t PodsOf(std::string_view node);
  static int64_t MilliCpuOf(const server::StoredObject& pod);

 private:
  void Change();
  void ChangeNode();
  void ChangePod();
  void CreateNode(const std::string& name);
  void CreatePod(const std::string& name);
  void CreateClaim(const std::string& name);
  void CreateDevices(const std::string& node);
  void CreateResourceClaim(const std::string& name);

  server::ObjectPtr CreateVolume(const std::string& name, std::string_view storage_class, std::string_view node,
                                 const std::string& claim_ref = "");

  void OnChange(const server::Change& change);
  void EndPod(const server::StoredObject& pod);
  void BindVolume(const std::string& volume_key);
  void Provision(const std::string& claim_key);
  // Releases reservations of pods that are gone, and devices that nobody has reserved.
  void SettleResourceClaim(const std::string& claim_key);

  runtime::Agenda& agenda_;
  Dice& dice_;
  ServedCluster& cluster_;
  int64_t made_ = 0;
};

}  // namespace berth::sim
