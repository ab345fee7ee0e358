// SPDX-License-Identifier: Apache-2.0
// Scheduler: the deterministic core. Objects go in, decisions and effects come out.
//
// It owns the cluster state and the profiles. Whoever drives it feeds it what an informer would see (Put, Remove), asks
// for attempts, and carries out the effects. It knows no clock, thread or socket: the same calls give the same answers.
//
// Thread: core.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/object.h"
#include "cluster/cluster.h"
#include "framework/configuration.h"
#include "scheduler/algorithm.h"
#include "scheduler/assembly.h"

namespace berth::scheduler {

// One attempt to schedule one pod, from the gate to the reservation.
struct Attempt {
  enum class Kind : uint8_t {
    kIgnored,  // No profile has the pod's scheduler name.
    kSkipped,  // The pod is being deleted.
    kGated,    // A PreEnqueue plugin keeps it out of the queue.
    kDecided,
  };
  Kind kind = Kind::kIgnored;
  framework::Status gate;  // kGated: who refuses and why.

  // kDecided. A decision of kScheduled means that the pod is assumed on the node and reserved.
  const framework::Profile* profile = nullptr;
  std::unique_ptr<framework::Cycle> cycle;
  Decision decision;
  framework::Status reserve;   // Not ok: Reserve refused the chosen node, and the outcome says so.
  cluster::PodPtr assumed;     // The pod with its node.
};

class Scheduler {
 public:
  // Fails with upstream's text when the configuration does not make valid profiles.
  static Result<std::unique_ptr<Scheduler>> Create(const framework::SchedulerConfiguration& configuration,
                                                   const framework::Registry& registry,
                                                   const framework::FeatureGates& gates,
                                                   std::unique_ptr<framework::Chooser> chooser);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // An object was added or changed. A pod in a terminal phase counts as removed.
  void Put(api::Object object);
  // Nothing happens if there is no such object. `kind` is a Kubernetes kind.
  void Remove(std::string_view kind, std::string_view ns, std::string_view name);

  // Pods that are neither on a node nor assumed, by "namespace/name".
  const std::map<std::string, cluster::PodPtr, std::less<>>& pending() const { return pending_; }
  // The profile responsible for the pod, or nullptr.
  const framework::Profile* ProfileOf(const cluster::PodInfo& pod) const;
  const framework::Profile& profile(std::string_view scheduler_name) const { return *profiles_.find(scheduler_name)->second; }

  // Tries to schedule a pending pod. When the decision is kScheduled, the pod is assumed and reserved.
  Attempt Try(const cluster::PodPtr& pod);

  // Runs PreBind of a scheduled attempt: emits effects, then waits for the world (status kWait) or is done.
  framework::Status PreBind(Attempt& attempt, Time now, framework::Effects& effects);
  framework::Status Bind(Attempt& attempt, framework::Effects& effects);
  // Gives the reservation up.
  void GiveUp(Attempt& attempt);

  const cluster::Cluster& cluster() const { return *cluster_; }

 private:
  explicit Scheduler(const framework::SchedulerConfiguration& configuration)
      : algorithm_(configuration) {}
  void PutPod(api::Pod pod);
  void RemovePod(std::string_view ns, std::string_view name);
  void PutNode(api::Node node);
  void AssumeAndReserve(Attempt& attempt);

  std::unique_ptr<cluster::Cluster> cluster_;
  Profiles profiles_;
  std::unique_ptr<framework::Chooser> chooser_;
  framework::CycleBuffers buffers_;
  Algorithm algorithm_;
  std::map<std::string, cluster::PodPtr, std::less<>> pending_;
  std::map<std::string, cluster::PodPtr, std::less<>> placed_;  // On a node, as last seen.
};

}  // namespace berth::scheduler
