// SPDX-License-Identifier: Apache-2.0
// Handlers of pods.
//
// The cluster refuses calls that do not fit what it knows (a pod added twice, a removal of a pod that never came). Such
// a notification changes nothing there; the queue hears of it all the same.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/event_handlers.h"

namespace berth::scheduler {
namespace {

namespace action = framework::action;
using cluster::PodPtr;
using framework::EventResource;

framework::Change AssignedPodAdd(const PodPtr& pod) { return {{EventResource::kAssignedPod, action::kAdd}, {}, pod}; }

framework::Change AssignedPodDelete(const PodPtr& pod) {
  return {{EventResource::kAssignedPod, action::kDelete}, pod, {}};
}

bool IsToBeQueued(const cluster::PodInfo& pod) { return pod.node_name.empty() || pod.awaits_resize; }

}  // namespace

void EventHandlers::PutPod(api::Pod pod, Time now) {
  const PodPtr old_pod = store_.Find(pod.meta.ns + "/" + pod.meta.name);
  if (pod.is_terminal()) {
    if (old_pod) PodDeleted(old_pod, false, now);
    return;
  }
  const PodPtr info = MakePod(std::move(pod));
  // No pod loses its node, except where a cluster is reset to a state of its past.
  const bool has_left = old_pod && !old_pod->node_name.empty() && info->node_name.empty();
  if (old_pod && (old_pod->uid != info->uid || has_left)) {
    // The watch missed that the pod was deleted and created anew under its name: they are two pods.
    PodDeleted(old_pod, true, now);
    return PodAdded(info, now);
  }
  if (!old_pod) return PodAdded(info, now);
  PodUpdated(old_pod, info, now);
}

void EventHandlers::TakeOn(const std::vector<std::string>& scheduler_names, Time now) {
  if (scheduler_names.empty()) return;
  std::vector<PodPtr> pods;
  store_.ForEach([&](const PodPtr& pod) {
    const bool is_meant = std::ranges::find(scheduler_names, pod->spec().scheduler_name) != scheduler_names.end();
    if (is_meant && IsToBeQueued(*pod)) pods.push_back(pod);
  });
  std::ranges::sort(pods, {}, [](const PodPtr& pod) { return pod->full_name(); });
  for (const PodPtr& pod : pods) AddPending(pod, now);
}

PodPtr EventHandlers::MakePod(api::Pod pod) {
  if (observer_ == nullptr) return cluster_.MakePod(std::move(pod));
  const framework::Moment since = observer_->Start();
  PodPtr info = cluster_.MakePod(std::move(pod));
  // Pods that share a template are alike: this is where a pod's signature is found.
  const framework::Profile* profile = policy_.ProfileOf(*info);
  if (profile != nullptr && info->node_name.empty()) {
    observer_->PointRan(*profile, framework::RunPoint::kSign, framework::StatusCode::kSuccess, since);
  }
  return info;
}

void EventHandlers::PodAdded(const PodPtr& pod, Time now) {
  store_.Put(pod);
  cluster_.coscheduled.Put(nullptr, pod);
  if (policy_.IsResponsible(*pod) && IsToBeQueued(*pod)) AddPending(pod, now);
  if (!pod->node_name.empty()) AddAssigned(pod, now);
}

void EventHandlers::PodUpdated(const PodPtr& old_pod, const PodPtr& pod, Time now) {
  store_.Put(pod);
  cluster_.coscheduled.Put(old_pod.get(), pod);
  if (!old_pod->node_name.empty()) {
    if (policy_.IsResponsible(*pod)) UpdateResize(old_pod, pod, now);
    const Watch watch(observer_, {EventResource::kAssignedPod, action::kUpdate}, *old_pod);
    if (!cluster_.UpdatePod(*old_pod, pod)) Repair(pod->uid, pod);
    for (const framework::ClusterEvent& event :
         framework::PodUpdateEvents(*old_pod, *pod, EventResource::kUnscheduledPod)) {
      queue_.Move({event, old_pod, pod}, now);
    }
  } else if (!pod->node_name.empty()) {
    AddAssigned(pod, now);
    // Another component may have bound it while it was queued here.
    if (policy_.IsResponsible(*old_pod)) {
      const Watch watch(observer_, {EventResource::kUnscheduledPod, action::kDelete}, *old_pod);
      queue_.Delete(*old_pod, now);
    }
  } else if (policy_.IsResponsible(*old_pod)) {
    UpdatePending(old_pod, pod, now);
  }
}

void EventHandlers::PodDeleted(const PodPtr& pod, bool final_state_unknown, Time now) {
  store_.Erase(pod->full_name());
  cluster_.coscheduled.Remove(*pod);
  // A stale pod may have got a node since, so both places are cleaned.
  if (final_state_unknown || !pod->node_name.empty()) DeleteAssigned(pod, now);
  if (final_state_unknown || IsToBeQueued(*pod)) {
    if (policy_.IsResponsible(*pod)) DeletePending(pod, now);
  }
}

void EventHandlers::AddPending(const PodPtr& pod, Time now) {
  const Watch watch(observer_, {EventResource::kUnscheduledPod, action::kAdd}, *pod);
  cluster_.groups.Add(pod);
  queue_.Add(pod, now);
  // The pod may be the one that the others of its group wait for.
  if (cluster_.groups.enabled()) queue_.Move({{EventResource::kUnscheduledPod, action::kAdd}, {}, pod}, now);
}

void EventHandlers::UpdateResize(const PodPtr& old_pod, const PodPtr& pod, Time now) {
  if (old_pod->awaits_resize && pod->awaits_resize) {
    queue_.Update(old_pod, pod, now);
  } else if (pod->awaits_resize) {
    AddPending(pod, now);
  } else if (old_pod->awaits_resize) {
    DeletePending(old_pod, now);
  }
}

void EventHandlers::AddAssigned(const PodPtr& pod, Time now) {
  const Watch watch(observer_, {EventResource::kAssignedPod, action::kAdd}, *pod);
  (void)cluster_.AddPod(pod);
  queue_.Move(AssignedPodAdd(pod), now);
}

void EventHandlers::DeleteAssigned(const PodPtr& pod, Time now) {
  const Watch watch(observer_, {EventResource::kAssignedPod, action::kDelete}, *pod);
  if (!cluster_.RemovePod(*pod)) Repair(pod->uid, nullptr);
  queue_.Move(AssignedPodDelete(pod), now);
}

void EventHandlers::Repair(const std::string& uid, const PodPtr& reported) {
  const PodPtr known = cluster_.FindPod(uid);
  if (!known) return;
  if (reported && (cluster_.IsAssumed(uid) || known->node_name == reported->node_name)) return;
  if (observer_ != nullptr) observer_->CacheRepaired(*known, reported ? reported->node_name : "");
  (void)cluster_.RemovePod(*known);
  if (reported && !reported->node_name.empty()) (void)cluster_.AddPod(reported);
}

void EventHandlers::UpdatePending(const PodPtr& old_pod, const PodPtr& pod, Time now) {
  if (old_pod->resource_version == pod->resource_version) return;
  const Watch watch(observer_, {EventResource::kUnscheduledPod, action::kUpdate});
  cluster_.groups.Update(*old_pod, pod);
  if (cluster_.IsAssumed(pod->uid)) {
    if (pod->is_terminating() && !old_pod->is_terminating()) DeleteAssumed(pod->uid, now);
    return;
  }
  if (observer_ != nullptr) observer_->PodChanged({EventResource::kUnscheduledPod, action::kUpdate}, *pod);
  queue_.Update(old_pod, pod, now);
  if (old_pod->nominated_node_name != pod->nominated_node_name) ReleaseNomination(old_pod, now);
}

void EventHandlers::DeletePending(const PodPtr& pod, Time now) {
  const Watch watch(observer_, {EventResource::kUnscheduledPod, action::kDelete}, *pod);
  queue_.Delete(*pod, now);
  if (cluster_.IsAssumed(pod->uid)) return DeleteAssumed(pod->uid, now);
  cluster_.groups.Remove(*pod);
  ReleaseNomination(pod, now);
}

void EventHandlers::DeleteAssumed(const std::string& uid, Time now) {
  const PodPtr assumed = cluster_.FindPod(uid);
  if (!assumed || !policy_.IsResponsible(*assumed)) return;
  if (!reject_waiting_(uid)) (void)cluster_.RemovePod(*assumed);
  queue_.Move(AssignedPodDelete(assumed), now);
}

void EventHandlers::ReleaseNomination(const PodPtr& pod, Time now) {
  if (pod->nominated_node_name.empty()) return;
  // Pods of lower or equal priority were held off as if the pod were on its node already.
  queue_.Move(AssignedPodDelete(pod), now,
              [priority = pod->priority()](const cluster::PodInfo& other) { return other.priority() <= priority; });
}

}  // namespace berth::scheduler
