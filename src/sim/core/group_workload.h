// SPDX-License-Identifier: Apache-2.0
// GroupWorkload: groups of pods in the simulated cluster, made up by chance.
//
// Some groups are there at the beginning. Until its time is over members come, go and are made anew, the numbers that
// groups ask for change, and groups go and come back. The members of a group are alike, so that whether it fits does
// not depend on their order.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/feature_gates.h"
#include "sim/core/api_model.h"

namespace berth::sim {

class GroupWorkload {
 public:
  // REQUIRES: the others outlive this.
  GroupWorkload(runtime::Agenda& agenda, Dice& dice, ApiModel& server, const framework::FeatureGates& gates)
      : agenda_(agenda), dice_(dice), server_(server), gates_(gates) {}
  GroupWorkload(const GroupWorkload&) = delete;
  GroupWorkload& operator=(const GroupWorkload&) = delete;

  // Makes the first groups and plans `events` changes until `end`.
  void Start(int64_t events, Time end);

 private:
  // What a group is made of.
  struct Plan {
    api::PodGroup object;
    api::Pod member;
  };

  void Change();
  void CreateGroup();
  api::Pod MakeMember(const std::string& group, int32_t priority);
  void CreateClaim(const std::string& name);
  // The parent of a new group: a composite group, which may be new too.
  void AddParent(Plan& plan);
  void CreateMember(const Plan& plan);
  void ChangeMinCount(const std::string& group);
  void ChangeMember(const std::string& group);
  // The names of the group's pods.
  std::vector<std::string> MembersOf(const std::string& group) const;

  runtime::Agenda& agenda_;
  Dice& dice_;
  ApiModel& server_;
  const framework::FeatureGates gates_;
  std::map<std::string, Plan> plans_;  // By the name of the group.
  int64_t made_ = 0;
};

}  // namespace berth::sim
