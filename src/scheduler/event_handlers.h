// SPDX-License-Identifier: Apache-2.0
// EventHandlers: what a change of an API object means for the cluster state and the queue.
//
// Put and Remove take objects as a watch reports them and find out what changed; the calls below them are the handlers
// that an informer would call, with the object before and after. The store changes first, then the cluster state, then
// the queue moves pods that the change may help. Pods of foreign schedulers count on their nodes and are otherwise left
// alone. The rules, odd ones included, are upstream's.
//
// Thread: core.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/object.h"
#include "cluster/cluster.h"
#include "framework/observer.h"
#include "queue/pod_store.h"
#include "queue/scheduling_queue.h"
#include "scheduler/profile_policy.h"

namespace berth::scheduler {

class EventHandlers {
 public:
  // Ends the wait of a pod in the permit stage, whose binding then fails; false if it does not wait.
  using RejectWaiting = std::function<bool(const std::string& uid)>;

  EventHandlers(cluster::Cluster& cluster, queue::PodStore& store, queue::SchedulingQueue& queue,
                const ProfilePolicy& policy, RejectWaiting reject_waiting)
      : cluster_(cluster), store_(store), queue_(queue), policy_(policy), reject_waiting_(std::move(reject_waiting)) {}

  // Profiles of these names are new: pods that ask for them wait to be scheduled from now on.
  void TakeOn(const std::vector<std::string>& scheduler_names, Time now);

  // An object was added or changed. A pod in a terminal phase counts as removed.
  void Put(api::Object object, Time now);
  // Nothing happens if there is no such object. `final_state_unknown`: the watch missed the removal, so the last known
  // state may be stale.
  void Remove(std::string_view kind, std::string_view ns, std::string_view name, bool final_state_unknown, Time now);

  // Hears of every event from now on; nullptr: nobody does.
  void set_observer(framework::Observer* observer) { observer_ = observer; }

  void PodAdded(const cluster::PodPtr& pod, Time now);
  void PodUpdated(const cluster::PodPtr& old_pod, const cluster::PodPtr& pod, Time now);
  void PodDeleted(const cluster::PodPtr& pod, bool final_state_unknown, Time now);
  void NodeAdded(api::Node node, Time now);
  void NodeUpdated(const std::shared_ptr<const api::Node>& old_node, api::Node node, Time now);
  void NodeDeleted(const std::shared_ptr<const api::Node>& node, Time now);

 private:
  // Tells the observer of an event, and how long it took when it goes out of scope.
  class Watch {
   public:
    Watch(framework::Observer* observer, framework::ClusterEvent event)
        : observer_(observer), event_(event), since_(observer == nullptr ? framework::Moment() : observer->Start()) {}
    Watch(framework::Observer* observer, framework::ClusterEvent event, const cluster::PodInfo& pod)
        : Watch(observer, event) {
      if (observer != nullptr) observer->PodChanged(event, pod);
    }
    Watch(framework::Observer* observer, framework::ClusterEvent event, const api::Node& node)
        : Watch(observer, event) {
      if (observer != nullptr) observer->NodeChanged(event, node.meta.name);
    }
    ~Watch() {
      if (observer_ != nullptr) observer_->EventHandled(event_, since_);
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    framework::Observer* observer_;
    framework::ClusterEvent event_;
    framework::Moment since_;
  };

  cluster::PodPtr MakePod(api::Pod pod);
  void PutPod(api::Pod pod, Time now);
  void PutNode(api::Node node, Time now);
  template <class T>
  void PutOther(T object, Time now);
  // A DeviceTaintRule has changed: that shows in the slices.
  void SlicesTainted(Time now);

  void AddPending(const cluster::PodPtr& pod, Time now);
  // A pod on a node: it is queued while it awaits a resize.
  void UpdateResize(const cluster::PodPtr& old_pod, const cluster::PodPtr& pod, Time now);
  void AddAssigned(const cluster::PodPtr& pod, Time now);
  void DeleteAssigned(const cluster::PodPtr& pod, Time now);
  // The cluster has the pod on another node than a watch reports, which upstream takes for a corrupted cache. What is
  // reported counts; `reported` is nullptr for a pod that is gone.
  void Repair(const std::string& uid, const cluster::PodPtr& reported);
  void UpdatePending(const cluster::PodPtr& old_pod, const cluster::PodPtr& pod, Time now);
  void DeletePending(const cluster::PodPtr& pod, Time now);
  // A pod that was assumed is being deleted: what it holds is free.
  void DeleteAssumed(const std::string& uid, Time now);
  void ReleaseNomination(const cluster::PodPtr& pod, Time now);

  framework::Observer* observer_ = nullptr;
  cluster::Cluster& cluster_;
  queue::PodStore& store_;
  queue::SchedulingQueue& queue_;
  const ProfilePolicy& policy_;
  RejectWaiting reject_waiting_;
};

}  // namespace berth::scheduler
