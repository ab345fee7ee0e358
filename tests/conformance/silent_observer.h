// SPDX-License-Identifier: Apache-2.0
// SilentObserver: hears of everything and does nothing, unless one who derives from it does.

#pragma once

#include "framework/observer.h"

namespace berth::conformance {

class SilentObserver : public framework::Observer {
  using Moment = framework::Moment;
  using Profile = framework::Profile;

  Moment Start() override { return {}; }
  Moment StartPlugin() override { return {}; }
  void AttemptBegins(const Profile&, const cluster::PodInfo&) override {}
  void Reached(Step) override {}
  void AlgorithmEnds(Moment) override {}
  void AttemptEnds(const Profile&, Result, Moment) override {}
  void AttemptFailed(const cluster::PodInfo&, Result, std::string_view) override {}
  void PodBound(const framework::BoundPod&) override {}
  void PlacementsGenerated(const Profile&, size_t) override {}
  void PlacementTried(const Profile&, bool, Moment) override {}
  void GroupAlgorithmEnds(Moment) override {}
  void GroupAttemptEnds(const Profile&, GroupResult, Moment) override {}
  void PointRan(const Profile&, framework::RunPoint, framework::StatusCode, Moment) override {}
  void PluginRan(const Profile&, const framework::Plugin&, framework::RunPoint, framework::StatusCode, size_t,
                 Moment) override {}
  void PermitWaited(framework::StatusCode, Moment) override {}
  void PodQueued(Queue, const framework::QueueCause&, size_t, bool) override {}
  void PodRejected(std::string_view, std::string_view, int) override {}
  void InFlightChanged(const framework::QueueCause&, int) override {}
  void PodChanged(const framework::ClusterEvent&, const cluster::PodInfo&) override {}
  void NodeChanged(const framework::ClusterEvent&, std::string_view) override {}
  void EventHandled(const framework::ClusterEvent&, Moment) override {}
  void HintGiven(std::string_view, const framework::ClusterEvent&, std::optional<framework::QueueingHint>,
                 Moment) override {}
  void PreemptionDecided(const cluster::PodInfo&, std::string_view) override {}
  void PreemptionStarted(const framework::EvictPod&, size_t) override {}
  void VictimLeft(const framework::EvictPod&, VictimEnd, std::string_view) override {}
  void HarmDone(std::string_view, size_t, int64_t) override {}
  void PreemptionEnded(const framework::EvictPod&, bool, Moment) override {}
  void DeviceSearchGivenUp(const cluster::PodInfo&) override {}
  void ClaimCreated(bool) override {}
  void DeviceAwaited(const cluster::PodInfo&, const api::DeviceRequestAllocationResult&, DeviceWaitEnd,
                     framework::Moment) override {}
  void ExtenderSkipped(const cluster::PodInfo&, const framework::SkippedExtender&) override {}
  void CacheRepaired(const cluster::PodInfo&, std::string_view) override {}
  void StepEnded(const Levels&) override {}
};

}  // namespace berth::conformance
