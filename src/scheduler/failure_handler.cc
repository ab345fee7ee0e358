// SPDX-License-Identifier: Apache-2.0
#include "scheduler/failure_handler.h"

#include <string_view>
#include <utility>

namespace berth::scheduler {

using cluster::PodPtr;
using queue::QueuedPod;

namespace {

// Whether both are of one coscheduled group.
bool AreTogether(const cluster::PodInfo& a, const cluster::PodInfo& b) {
  const std::string_view group = cluster::CoscheduledPods::NameOf(b);
  return !group.empty() && cluster::CoscheduledPods::NameOf(a) == group && a.ns() == b.ns();
}

}  // namespace

PodPtr FailureHandler::AttemptFailed(std::unique_ptr<QueuedPod> pod, const Failure& failure, Time now) {
  PodPtr subject = pod->pod;
  const PodPtr newest = store_.Find(pod->key);
  if (newest && (newest->node_name.empty() || newest->awaits_resize)) {
    if (newest->uid != subject->uid) {
      queue_.Done(subject->uid);
      return nullptr;
    }
    subject = pod->pod = newest;
    pod->unschedulable_plugins = failure.unschedulable_plugins;
    pod->pending_plugins = failure.pending_plugins;
    pod->gating_plugin.reset();
    queue_.AddUnschedulable(std::move(pod), now);
  }
  if (!subject->awaits_resize) queue_.nominator().Set(subject, failure.nominated_node_name);
  queue_.Done(subject->uid);
  return subject->awaits_resize ? nullptr : subject;
}

PodPtr FailureHandler::BindingFailed(std::unique_ptr<QueuedPod> pod, const PodPtr& assumed, Failure failure,
                                     bool rejected, Time now) {
  failure.nominated_node_name = "";
  if (!cluster_.ForgetPod(*assumed)) return AttemptFailed(std::move(pod), failure, now);
  const PodPtr newest = store_.Find(pod->key);
  if (!newest || newest->uid != assumed->uid) cluster_.groups.Remove(*assumed);  // It is gone, not pending.
  // Forgetting the pod frees what it held, as if it were deleted from its node. Where a plugin rejected it, the pod
  // itself must not take that for a reason to be tried again, so others are told after it is back in the queue.
  const framework::Change freed{{framework::EventResource::kAssignedPod, framework::action::kDelete}, assumed, {}};
  if (!rejected) queue_.Move(freed, now);
  PodPtr subject = AttemptFailed(std::move(pod), failure, now);
  if (rejected) {
    // Nor must those that were given up with it: they would go on for ever.
    queue_.Move(freed, now, [&](const cluster::PodInfo& other) {
      return other.uid != assumed->uid && !AreTogether(other, *assumed);
    });
  }
  return subject;
}

}  // namespace berth::scheduler
