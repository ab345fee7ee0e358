// SPDX-License-Identifier: Apache-2.0
// Core: the scheduler as a state machine over time.
//
//   effects = core.Step(input)
//
// It owns the cluster state, the queue, the profiles and every pod's progress. Objects, answers to effects and time
// come in as inputs; what is to be done in the world goes out as effects. The same inputs give the same effects, byte
// for byte: it knows no clock, thread or socket.
//
// A copy is a core of its own that decides as this one would, on a copy of the cluster (cluster/cluster.h) and with the
// same pods waiting in the same states. Bindings are not copied: a pod that is on its way to a node stays assumed there
// until the copy is told of it.
//
// Thread: core; copies by one thread at a time, together with the original.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/configuration.h"
#include "scheduler/algorithm.h"
#include "scheduler/binding_cycles.h"
#include "scheduler/decision_records.h"
#include "scheduler/event_handlers.h"
#include "scheduler/failure_handler.h"
#include "scheduler/group_cycle.h"
#include "scheduler/input.h"
#include "scheduler/preemptions.h"
#include "scheduler/profile_policy.h"
#include "scheduler/reporter.h"

namespace berth::scheduler {

class Core {
 public:
  // Fails with upstream's text when the configuration does not make valid profiles. `start` is the time of creation.
  static Result<std::unique_ptr<Core>> Create(const framework::SchedulerConfiguration& configuration,
                                              const framework::Registry& registry, const framework::FeatureGates& gates,
                                              std::shared_ptr<const framework::Chooser> chooser, Time start);
  // Whether the configuration makes valid profiles; fails with upstream's text.
  Result<void> Check(const framework::SchedulerConfiguration& configuration) const;

  // A copy without observer, and without what is kept to answer questions again. An attempt that waits for extenders is
  // made anew there. Cost: as the copy of the cluster, and of every pod that waits.
  std::unique_ptr<Core> Copy() const;
  // Frees it in pieces of less than a millisecond, between which it calls `pause`.
  static void Free(std::unique_ptr<Core> core, const std::function<void()>& pause);

  // Hears of everything from now on; nullptr: nobody does. REQUIRES: it lives as long as the core.
  void set_observer(framework::Observer* observer);
  // Runs the loops of plugins that allow it; nullptr: they run here. REQUIRES: it lives as long as the core.
  void set_parallelizer(framework::Parallelizer* parallelizer) { buffers_.parallelizer = parallelizer; }

  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // REQUIRES: input.now is not before that of an earlier step.
  std::vector<IssuedEffect> Step(Input input);

  // Whether a ScheduleNext would find a pod.
  bool HasWork() const;
  // When a PassTime will have something to do; nothing if only inputs can change anything.
  std::optional<Time> NextDeadline() const;

  // Questions about a pod that need not be queued. Nothing comes of them: no pod is assumed, nothing reserved.
  cluster::PodPtr MakePod(api::Pod pod) { return cluster_->MakePod(std::move(pod)); }
  // An attempt of its own. Valid until the next step or the next of these. REQUIRES: `profile` is one of policy().
  std::unique_ptr<framework::Cycle> MakeCycle(const framework::Profile& profile, cluster::PodPtr pod, Time now);
  // What would be decided now, as far as no extender is asked; valid as long as the cycle.
  Decision Decide(const framework::Profile& profile, framework::Cycle& cycle);

  // What the last ScheduleNext found, for explanations; valid until the next step.
  struct LastAttempt {
    cluster::PodPtr pod;
    const framework::Profile* profile = nullptr;
    const framework::Cycle* cycle = nullptr;  // Only of an attempt that failed.
    Decision decision;
    framework::Status refusal;  // Why the chosen node was given up at once: Reserve or Permit refused it.
  };
  const std::optional<LastAttempt>& last_attempt() const { return last_attempt_; }
  // The same if what was tried is a group.
  const std::optional<GroupAttempt>& last_group() const { return group_cycle_->last_attempt(); }

  // What earlier attempts found. Nothing is kept before limits are set.
  const DecisionRecords& records() const { return *records_; }
  void set_record_limits(RecordLimits limits) {
    records_->set_limits(limits);
    algorithm_.ranked().set_told_nodes(limits.bytes == 0 ? 0 : limits.scored_nodes);
  }
  // For tests: nodes are kept in order for every template that was tried so often before, and each decision made
  // from them is compared with that of a full search.
  void CheckRankings(size_t patience) {
    algorithm_.ranked().set_patience(patience);
    algorithm_.set_checks(true);
  }

  const cluster::Cluster& cluster() const { return *cluster_; }
  const queue::SchedulingQueue& queue() const { return *queue_; }
  const queue::PodStore& pods() const { return store_; }
  const BindingCycles& bindings() const { return *bindings_; }
  const ProfilePolicy& policy() const { return *policy_; }
  const framework::SchedulerConfiguration& configuration() const { return configuration_; }
  const framework::FeatureGates& gates() const { return gates_; }
  const framework::Registry& registry() const { return *registry_; }
  const std::shared_ptr<const framework::Chooser>& chooser() const { return chooser_; }
  // Evictions that were asked for and not answered; who goes on with a copy carries them out.
  std::vector<IssuedEffect> OutstandingEvictions() const { return preemptions_->Outstanding(); }
  // How much each table holds, those of the cluster and the queue included.
  cluster::TableSizes Sizes() const;
  // The pods whose attempt waits for extenders: one, or those of a group.
  std::vector<cluster::PodPtr> waiting_for_extenders() const;

 private:
  Core(const framework::SchedulerConfiguration& configuration, std::shared_ptr<const framework::Registry> registry,
       const framework::FeatureGates& gates, Time start)
      : configuration_(configuration),
        registry_(std::move(registry)),
        gates_(gates),
        start_(start),
        algorithm_(configuration) {}
  // Puts the parts together around profiles, chooser and cluster.
  void Assemble();

  // One attempt to schedule a pod or a group. It is kept while extenders are being asked.
  struct Attempt {
    std::unique_ptr<queue::QueuedPod> queued;
    const framework::Profile* profile = nullptr;  // Null for a group.
    Time began;
    framework::Moment since;
    std::unique_ptr<ExtenderDialogs> dialogs;  // Null where no extender is interested.
  };

  void Put(api::Object object, Time now);
  void Remove(const RemoveObject& removed, Time now);
  void Schedule(std::string_view name, Time now);
  void Try(Attempt attempt, Time now);
  void TryGroup(Attempt attempt, Time now);
  // Keeps what a group's members found; `trail` and `attempts` are theirs, by full name, from before.
  void NoteGroup(const queue::QueueTrail& trail, const std::map<std::string, int32_t>& attempts, Time now);
  void Park(Attempt attempt);
  // An answer to the parked attempt; false if it is not one.
  bool ExtenderAnswered(const EffectAnswer& answer, Time now);
  // Gives the parked attempt up if its pod has gone or is somewhere else by now. A group goes on without such members.
  void DropUnwanted(Time now);
  bool IsWanted(const queue::QueuedPod& parked) const;
  void DropUnwantedMembers(Time now);
  // Why the pod was refused after all, if it was.
  std::optional<GroupStatus> Commit(BindingCycles::Binding binding, Time now);
  void AttemptFailed(std::unique_ptr<queue::QueuedPod> queued, const Decision& decision, Time now);
  void TellLevels() const;
  GroupStatus Refused(BindingCycles::Binding binding, const framework::Status& status, Time now);
  void StartPreemption(const framework::Effects& effects, Time now);
  void PassTime(Time now);
  void Reconfigure(const framework::SchedulerConfiguration& configuration, Time now);
  // Gives the parked attempt up. REQUIRES: there is one.
  std::unique_ptr<queue::QueuedPod> CancelParked();
  // Lets go of profiles that no binding needs any more.
  void FreeRetired();

  void TellAttemptFailed(const framework::Profile& profile, const cluster::PodInfo& pod, bool rejected,
                         std::string_view message, framework::Moment since) const;

  // What was replaced by another configuration, while bindings that began with it are under way.
  struct Retired {
    Profiles profiles;
    Extenders extenders;
  };

  framework::Observer* observer_ = nullptr;
  framework::SchedulerConfiguration configuration_;
  std::shared_ptr<const framework::Registry> registry_;  // The copies' too.
  framework::FeatureGates gates_;
  Time start_;
  std::unique_ptr<cluster::Cluster> cluster_;
  Profiles profiles_;
  std::vector<Retired> retired_;
  std::shared_ptr<const framework::Chooser> chooser_;  // The copies' too.
  framework::CycleBuffers buffers_;
  Algorithm algorithm_;
  Outbox outbox_;
  Reporter reporter_{outbox_};
  queue::PodStore store_;
  std::unique_ptr<ProfilePolicy> policy_;
  std::unique_ptr<DecisionRecords> records_;
  std::unique_ptr<queue::SchedulingQueue> queue_;
  std::unique_ptr<FailureHandler> failures_;
  std::unique_ptr<BindingCycles> bindings_;
  std::unique_ptr<Preemptions> preemptions_;
  std::unique_ptr<GroupCycle> group_cycle_;
  std::unique_ptr<EventHandlers> handlers_;
  std::unique_ptr<framework::Cycle> last_cycle_;  // Of an attempt that failed; a binding keeps its own.
  std::optional<LastAttempt> last_attempt_;
  std::optional<Attempt> parked_;  // Waits for extenders; there is one at most.
  Time backoff_flush_{};           // When the next flush is due.
  Time unschedulable_flush_{};
};

}  // namespace berth::scheduler
