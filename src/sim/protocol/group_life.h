// SPDX-License-Identifier: Apache-2.0
// GroupLife: groups of pods in the cluster that live schedulers are simulated on, and the controller that lets go of
// groups that are deleted.
//
// The pods of a group are alike, so that whether it fits does not depend on their order.

#pragma once

#include <string>

#include "sim/core/dice.h"
#include "sim/protocol/served_cluster.h"

namespace berth::sim {

class GroupLife {
 public:
  // REQUIRES: the others outlive this.
  GroupLife(runtime::Agenda& agenda, Dice& dice, ServedCluster& cluster)
      : agenda_(agenda), dice_(dice), cluster_(cluster) {}
  GroupLife(const GroupLife&) = delete;
  GroupLife& operator=(const GroupLife&) = delete;

  // Makes the first groups and plans `changes` until `end`.
  void Start(int64_t changes, Time end);

 private:
  void Change();
  void CreateGroup(const std::string& name);
  void CreateMember(const std::string& group);
  void ChangeMinCount(const std::string& group);
  void RemoveGroup(const std::string& group);
  // A pod of the group; null if it has none.
  server::ObjectPtr PickMember(const std::string& group);

  runtime::Agenda& agenda_;
  Dice& dice_;
  ServedCluster& cluster_;
  int64_t made_ = 0;
};

}  // namespace berth::sim
