// SPDX-License-Identifier: Apache-2.0
// Simulation: schedules the pending pods of a World with the scheduler's core and plays the rest of the cluster.
//
// Pods are tried in queue order. Bindings, nominations, evictions and volume updates that the core asks for are carried
// out at once. A pod that is evicted is gone; if a controller owns it, a new one takes its place in the queue. Pods
// that did not fit are tried again when something has changed that may help them. It ends because every eviction is
// followed by the placement of a pod of higher priority, and because the number of tries of a pod is bounded where that
// does not hold.
//
// Time is virtual: it begins at the latest time that the input mentions, and every attempt takes a millisecond.
//
// Thread: one.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/simulate/explanation.h"
#include "app/simulate/pod_queue.h"
#include "app/simulate/volumes.h"
#include "app/simulate/world.h"
#include "base/result.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "scheduler/scheduler.h"

namespace berth::simulate {

struct Settings {
  framework::SchedulerConfiguration configuration;
  framework::FeatureGates gates;
  std::optional<uint64_t> seed;  // Absent: of nodes that are equally good the first by name is taken.
  bool explain = false;
  size_t explain_limit = 5;  // Nodes per list of an explanation.
};

enum class Fate : uint8_t {
  kWaiting,        // Not tried yet.
  kRunning,        // Was on its node from the beginning.
  kScheduled,      // Got a node.
  kUnschedulable,  // Fits nowhere.
  kError,          // The scheduler or a plugin failed.
  kGated,          // Is held back by a scheduling gate or another plugin.
  kIgnored,        // Belongs to another scheduler, or is being deleted.
  kEvicted,        // Was on a node and had to go.
};

struct PodRecord {
  PodSource source;  // The pod as it is now.
  Fate fate = Fate::kWaiting;
  bool was_pending = true;  // At the beginning, or made later.
  std::string message;      // Why it has no node.
  Time queued_at;           // When it first entered the queue.
  int attempts = 0;
  int nominations = 0;
  std::string replaces;  // The evicted pod that it was made for.
  std::vector<VolumeBinding> volumes;
  std::vector<Explanation> explanations;  // One for each attempt, if asked for.

  std::string full_name() const { return api::FullName(source.pod.meta); }
  int32_t priority() const { return source.pod.spec.priority.value_or(0); }
};

struct Eviction {
  std::string victim;
  int32_t victim_priority = 0;
  std::string owner;  // "Job batch/report"; empty: the pod had none and is gone for good.
  std::string replacement;
  std::string preemptor;
  int32_t preemptor_priority = 0;
  std::string node;
};

class Simulation {
 public:
  // Called now and then with the number of attempts so far and of pods in the queue.
  using Progress = std::function<void(size_t attempts, size_t queued)>;

  // Fails with upstream's text if the configuration makes no valid scheduler.
  static Result<std::unique_ptr<Simulation>> Create(const Settings& settings, World world);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Runs until nothing moves any more.
  void Run(const Progress& progress = {});

  // Pods in the order in which they came: those of the input first.
  const std::vector<PodRecord>& pods() const { return pods_; }
  const std::vector<Eviction>& evictions() const { return evictions_; }
  const std::vector<std::string>& notes() const { return notes_; }
  const cluster::Cluster& cluster() const { return core_->cluster(); }

 private:
  Simulation(const Settings& settings, std::unique_ptr<scheduler::Scheduler> core, NameGenerator names);
  void Load(World world);
  void AddPod(PodSource source, std::string replaces);
  void Enqueue(size_t index);
  void Step(size_t index);
  void Place(size_t index, scheduler::Attempt& attempt);
  framework::Status BindVolumes(PodRecord& record, scheduler::Attempt& attempt);
  void Bind(PodRecord& record, scheduler::Attempt& attempt);
  void Reject(size_t index, scheduler::Attempt& attempt);
  void Fail(size_t index, Fate fate, std::string message);
  void Preempt(size_t index, const scheduler::Decision& decision);
  void Nominate(PodRecord& record, const std::string& node);
  void Evict(const framework::EvictPod& eviction);
  PodRecord& Find(const std::string& uid) { return pods_[by_uid_.find(uid)->second]; }

  Settings settings_;
  std::unique_ptr<scheduler::Scheduler> core_;
  VolumeController volumes_;
  NameGenerator names_;
  PodQueue queue_;
  Time now_;
  std::vector<PodRecord> pods_;
  cluster::StringMap<size_t> by_uid_;  // Positions in pods_.
  std::vector<Eviction> evictions_;
  std::vector<std::string> notes_;
};

}  // namespace berth::simulate
