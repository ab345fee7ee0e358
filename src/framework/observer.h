// SPDX-License-Identifier: Apache-2.0
// Observer: hears what the core does, for metrics and logs, and can never influence it.
//
// Every call hands something over and gets nothing back but a Moment: a reading of the observer's stopwatch that the
// core can keep and return, but not read. Replay, tests and the simulator have no observer; then nothing is measured
// and nothing called.
//
// Thread: core.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "framework/events.h"
#include "framework/status.h"

namespace berth::api {
struct DeviceRequestAllocationResult;
}

namespace berth::framework {

class Plugin;
class Profile;
struct EvictPod;

class Moment {
 private:
  friend class Observer;
  int64_t nanos_ = 0;
};

// What is run of a profile: the extension points and their parts, as metrics name them.
enum class RunPoint : uint8_t {
  kPreEnqueue,
  kSign,  // Finding out which pods are alike.
  kPreFilter,
  kAddPod,
  kRemovePod,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kNormalize,
  kReserve,
  kUnreserve,
  kPermit,
  kPreBindPreFlight,
  kPreBind,
  kBind,
  kPostBind,
  kPlacementGenerate,
  kPlacementFeasible,
  kPlacementScore,
  kPodGroupPostFilter,
};
inline constexpr size_t kRunPointCount = 21;
// "PreEnqueue", ..., "PreFilterExtensionAddPod", "ScoreExtensionNormalize", ...
std::string_view ToString(RunPoint point);

// Why a pod entered a queue, or what was noted for pods in flight.
struct QueueCause {
  enum class Kind : uint8_t {
    kEvent,
    kPodPopped,
    kAttemptFailed,
    kBackoffComplete,
    kPoppedFromBackoff,
    kForceActivate,
    kUnschedulableTimeout,
  };
  Kind kind = Kind::kEvent;
  ClusterEvent event = {};  // kEvent only.
};
// "NodeAdd", "UnscheduledPodAdd", "ScheduleAttemptFailure", ...
std::string Label(const ClusterEvent& event);
std::string Label(const QueueCause& cause);

// An extender that failed and was passed over.
struct SkippedExtender {
  size_t extender = 0;     // Index in SchedulerConfiguration::extenders.
  std::string_view stage;  // filter, prioritize, preempt or bind.
  std::string error;
  std::string node;  // Not empty: only what it said about this node was.
};

struct BoundPod {
  const cluster::PodInfo& pod;
  std::string_view node;
  size_t evaluated_nodes = 0;
  size_t feasible_nodes = 0;
  int32_t attempts = 0;
  std::optional<Duration> waited;  // Since the pod was first in the active queue.
  bool flushed = false;            // It was tried only because it had waited too long.
};

class Observer {
 public:
  enum class Result : uint8_t { kScheduled, kUnschedulable, kError };
  // Of a group of pods. One that makes room for itself waits until its victims are gone.
  enum class GroupResult : uint8_t { kScheduled, kUnschedulable, kWaitsForPreemption, kError };
  enum class Step : uint8_t { kFiltered, kScored, kDecided };
  enum class Queue : uint8_t { kActive, kBackoff, kUnschedulable };
  // What became of the victim of a preemption. One that was not bound yet is stopped.
  enum class VictimEnd : uint8_t { kStopped, kDeleted, kWasGone, kFailed };
  // How a wait for the binding conditions of devices ended.
  enum class DeviceWaitEnd : uint8_t { kReady, kFailed, kTimedOut, kError };
  // What waits in a queue: single pods, groups, and the pods of these.
  struct Waiting {
    size_t pods = 0, groups = 0, members = 0;
  };
  // How much there is of things at the end of a step.
  struct Levels {
    Waiting active, backoff, unschedulable, gated;
    size_t incomplete = 0, pending = 0;  // Members without their group, and members whose group is being tried.
    size_t nodes = 0, pods = 0, assumed_pods = 0;
    size_t bindings = 0;
  };

  virtual ~Observer() = default;

  virtual Moment Start() = 0;
  // The same for a single plugin: the observer may look at some attempts only.
  virtual Moment StartPlugin() = 0;

  // An attempt, in this order; a pod that gets a node has its AttemptEnds when it is bound, or when that failed.
  virtual void AttemptBegins(const Profile& profile, const cluster::PodInfo& pod) = 0;
  virtual void Reached(Step step) = 0;
  virtual void AlgorithmEnds(Moment since) = 0;
  virtual void AttemptEnds(const Profile& profile, Result result, Moment since) = 0;
  // Why it failed. Not called if the pod went meanwhile.
  virtual void AttemptFailed(const cluster::PodInfo& pod, Result result, std::string_view message) = 0;
  virtual void PodBound(const BoundPod& bound) = 0;

  // An attempt of a group, in this order. The placements that are tried are those of pods.
  virtual void PlacementsGenerated(const Profile& profile, size_t count) = 0;
  virtual void PlacementTried(const Profile& profile, bool is_feasible, Moment since) = 0;
  virtual void GroupAlgorithmEnds(Moment since) = 0;
  virtual void GroupAttemptEnds(const Profile& profile, GroupResult result, Moment since) = 0;

  virtual void PointRan(const Profile& profile, RunPoint point, StatusCode code, Moment since) = 0;
  // `nodes`: how many nodes it was asked about; 1 where it is not about nodes.
  virtual void PluginRan(const Profile& profile, const Plugin& plugin, RunPoint point, StatusCode code, size_t nodes,
                         Moment since) = 0;
  virtual void PermitWaited(StatusCode code, Moment since) = 0;

  // `members`: how many pods there are of a group that was queued; 0: it is a pod of its own. `is_arrival`: it counts
  // as one that came; upstream does not count what goes where it was asked to go after a failure or an event.
  virtual void PodQueued(Queue queue, const QueueCause& cause, size_t members, bool is_arrival) = 0;
  // One more (one less) pod that waits because of the plugin.
  virtual void PodRejected(std::string_view plugin, std::string_view profile, int change) = 0;
  virtual void InFlightChanged(const QueueCause& cause, int change) = 0;
  // A pod or a node has changed; called before the event is handled.
  virtual void PodChanged(const ClusterEvent& event, const cluster::PodInfo& pod) = 0;
  virtual void NodeChanged(const ClusterEvent& event, std::string_view node) = 0;
  virtual void EventHandled(const ClusterEvent& event, Moment since) = 0;
  // `hint` is absent if the plugin failed.
  virtual void HintGiven(std::string_view plugin, const ClusterEvent& event, std::optional<QueueingHint> hint,
                         Moment since) = 0;

  // The node on which room can be made for the pod; empty: there is none.
  virtual void PreemptionDecided(const cluster::PodInfo& preemptor, std::string_view node) = 0;
  virtual void PreemptionStarted(const EvictPod& eviction, size_t victims) = 0;
  virtual void VictimLeft(const EvictPod& eviction, VictimEnd end, std::string_view error) = 0;
  // What a preemption by a "pod", "podgroup" or "compositepodgroup" costs others: groups that are evicted as a whole,
  // and victims that disruption budgets protect.
  virtual void HarmDone(std::string_view preemptor_type, size_t groups, int64_t pdb_violations) = 0;
  virtual void PreemptionEnded(const EvictPod& eviction, bool failed, Moment since) = 0;

  // The search for devices of a pod was given up on a node, after as many steps as it may take.
  virtual void DeviceSearchGivenUp(const cluster::PodInfo& pod) = 0;
  // A claim for the pod's extended resources was created, or could not be.
  virtual void ClaimCreated(bool succeeded) = 0;
  // The wait for the pod's devices has ended; called for each device that it has, those without conditions included.
  virtual void DeviceAwaited(const cluster::PodInfo& pod, const api::DeviceRequestAllocationResult& device,
                             DeviceWaitEnd end, Moment since) = 0;

  virtual void ExtenderSkipped(const cluster::PodInfo& pod, const SkippedExtender& skipped) = 0;

  // The cluster had the pod on another node than a watch reported: it was moved to `node` (empty: removed).
  virtual void CacheRepaired(const cluster::PodInfo& known, std::string_view node) = 0;

  virtual void StepEnded(const Levels& levels) = 0;
  // The profile was replaced, and nothing is told of it any more.
  virtual void ProfileEnded(const Profile&) {}

 protected:
  static Moment MakeMoment(int64_t nanos) {
    Moment moment;
    moment.nanos_ = nanos;
    return moment;
  }
  static int64_t NanosOf(Moment moment) { return moment.nanos_; }
};

}  // namespace berth::framework
