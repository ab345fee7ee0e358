// SPDX-License-Identifier: Apache-2.0
// Checker: what must be true of the core after every step, whatever the world does.
//
// It compares the core with what the API server has told it and with what it has asked for. Each check returns what is
// wrong, or nothing.
//
// Cost: CheckPlaces and CheckBound look at all pods, and CheckCache makes a second cluster; together they take about
// fifteen times as long as the step that they check. The others are quick.

#pragma once

#include <map>
#include <string>

#include "scheduler/core.h"
#include "sim/core/api_model.h"

namespace berth::sim {

class Checker {
 public:
  // REQUIRES: both outlive this.
  Checker(const scheduler::Core& core, const ApiModel& server) : core_(core), server_(server) {}
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // The core was given a version of a pod.
  void Remember(const api::Pod& pod) { versions_.insert_or_assign(pod.meta.resource_version, pod); }

  // Before an effect is carried out: no pod is bound a second time.
  std::string CheckEffect(const framework::Effect& effect) const;
  // After a decision: the node holds what it was given.
  std::string CheckDecision() const;
  // Nothing is in flight between two steps, unless it waits for extenders or on permit.
  std::string CheckInFlight() const;
  // Every pod is in exactly one place.
  std::string CheckPlaces() const;
  // No pod that the scheduler has bound is missing from its node in the cache.
  std::string CheckBound() const;
  // No device is given to two claims, and no more of it than there is.
  std::string CheckDevices() const;
  // Cache and indexes equal those made from scratch.
  std::string CheckCache() const;
  // The world has come to rest: nothing is under way, and no pod waits that fits somewhere.
  std::string CheckAtRest() const;
  // All objects have been removed: nothing is kept of devices and pods.
  std::string CheckNothingLeft() const;

 private:
  std::string CheckPending(const cluster::PodInfo& pod) const;
  std::string CheckQueued() const;
  std::string CheckAssumed() const;
  std::string CompareNodes(const cluster::Cluster& fresh) const;
  std::string CheckAffinityIndex() const;
  std::string CheckCounters() const;

  const scheduler::Core& core_;
  const ApiModel& server_;
  std::map<std::string, api::Pod> versions_;  // By resource version.
};

}  // namespace berth::sim
