// SPDX-License-Identifier: Apache-2.0
#include "framework/observer.h"

#include <array>

namespace berth::framework {

std::string_view ToString(RunPoint point) {
  static constexpr std::array<std::string_view, kRunPointCount> kNames = {"PreEnqueue",
                                                                          "Sign",
                                                                          "PreFilter",
                                                                          "PreFilterExtensionAddPod",
                                                                          "PreFilterExtensionRemovePod",
                                                                          "Filter",
                                                                          "PostFilter",
                                                                          "PreScore",
                                                                          "Score",
                                                                          "ScoreExtensionNormalize",
                                                                          "Reserve",
                                                                          "Unreserve",
                                                                          "Permit",
                                                                          "PreBindPreFlight",
                                                                          "PreBind",
                                                                          "Bind",
                                                                          "PostBind",
                                                                          "PlacementGenerate",
                                                                          "PlacementFeasible",
                                                                          "PlacementScore",
                                                                          "PodGroupPostFilter"};
  return kNames[static_cast<size_t>(point)];
}

std::string Label(const ClusterEvent& event) {
  return std::string(ToString(event.resource)) + ActionToString(event.action);
}

std::string Label(const QueueCause& cause) {
  switch (cause.kind) {
    case QueueCause::Kind::kEvent: return Label(cause.event);
    case QueueCause::Kind::kPodPopped: return "PodPopped";
    case QueueCause::Kind::kAttemptFailed: return "ScheduleAttemptFailure";
    case QueueCause::Kind::kBackoffComplete: return "BackoffComplete";
    case QueueCause::Kind::kPoppedFromBackoff: return "PopFromBackoffQ";
    case QueueCause::Kind::kForceActivate: return "ForceActivate";
    case QueueCause::Kind::kUnschedulableTimeout: return "UnschedulableTimeout";
  }
  return {};
}

}  // namespace berth::framework
