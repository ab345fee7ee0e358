// SPDX-License-Identifier: Apache-2.0
// Workload: what users and operators do to a cluster, made up by chance.
//
// It starts with some nodes, storage and pods; then, until its time is over, nodes come, change, go and return, and
// pods are created, changed, deleted and created anew under the same name.

#pragma once

#include <string>
#include <vector>

#include "sim/core/api_model.h"

namespace berth::sim {

// The class of all devices.
inline constexpr const char* kDeviceClass = "gpu";
// The extended resource that devices provide.
inline constexpr const char* kDeviceResource = "example.com/device";
// Pools of devices that share a counter: the part "3" takes three of so many units.
inline constexpr const char* kPartsPool = "parts-";
inline constexpr int64_t kPartUnits = 5;

// A claim of so many devices.
api::ResourceClaim DeviceClaim(const std::string& name, int64_t count);

class Workload {
 public:
  // REQUIRES: the others outlive this.
  Workload(runtime::Agenda& agenda, Dice& dice, ApiModel& server) : agenda_(agenda), dice_(dice), server_(server) {}
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  // Makes the first objects and plans `events` changes until `end`.
  void Start(int64_t events, Time end);
  void RemoveEverything();

 private:
  void MakeStorage();
  void Change();
  void ChangeNode();
  void ChangePod();
  void BindElsewhere(api::Pod& pod);
  void CreateNode(const std::string& name);
  void CreatePod();
  void CreateClaim(const std::string& name);
  void MakeDevices(const std::string& node);
  void MakeParts(const std::string& node);
  void CreateResourceClaim(const std::string& name);
  void CreateBudget();
  api::Pod MakePod(const std::string& name);
  void AddConstraints(api::Pod& pod);
  // Other pods of some app, in some domain.
  api::PodAffinityTerm MakeTerm();
  // The names of all objects of the kind; pods are all in one namespace.
  std::vector<std::string> Names(std::string_view kind) const;

  runtime::Agenda& agenda_;
  Dice& dice_;
  ApiModel& server_;
  int64_t made_ = 0;
};

}  // namespace berth::sim
