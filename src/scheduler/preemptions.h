// SPDX-License-Identifier: Apache-2.0
// Preemptions: the evictions under way, by preemptor.
//
// A victim that is not bound yet is stopped in memory; others get their condition and are deleted by an effect. The
// last victim goes after all others, and while any is outstanding the preemptor is kept out of the queue: it would only
// fail again. Should an eviction fail, the preemptor is tried again at once.
//
// Thread: core.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "framework/observer.h"
#include "queue/scheduling_queue.h"
#include "scheduler/binding_cycles.h"
#include "scheduler/input.h"
#include "scheduler/reporter.h"

namespace berth::scheduler {

class Preemptions {
 public:
  Preemptions(cluster::Cluster& cluster, queue::SchedulingQueue& queue, BindingCycles& bindings, Reporter& reporter,
              Outbox& outbox)
      : cluster_(cluster), queue_(queue), bindings_(bindings), reporter_(reporter), outbox_(outbox) {}

  // The evictions that one PostFilter asked for; all have the same preemptor. The plugin is who asked.
  void Start(std::vector<framework::EvictPod> evictions, std::string_view plugin, Time now);

  // False if the effect is not an eviction.
  bool Answer(const EffectAnswer& answer, Time now);

  // A pod was deleted, began to terminate or has ended: a preemptor that waits for nothing else may enter the queue.
  void VictimIsGoing(const std::string& uid);

  // Takes over the evictions that another one has under way, whose answers are expected here too.
  void CopyRunning(const Preemptions& other) {
    running_ = other.running_;
    effects_ = other.effects_;
  }
  // The evictions that were asked for and not answered.
  std::vector<IssuedEffect> Outstanding() const;

  // Hears of every preemption from now on; nullptr: nobody does.
  void set_observer(framework::Observer* observer) { observer_ = observer; }

  size_t size() const { return running_.size(); }

 private:
  struct Running {
    framework::EvictPod first;                 // Stands for all of them.
    std::vector<framework::EvictPod> waiting;  // The last victim, until the others are done.
    std::map<uint64_t, framework::EvictPod> outstanding;
    std::string last_victim;  // Uid, once its eviction was asked for.
    std::string plugin;
    bool failed = false;
    framework::Moment since;  // For the observer.
  };

  // True if the victim was stopped in memory; otherwise an effect is outstanding.
  bool Evict(Running& running, const framework::EvictPod& eviction, Time now);
  void Tell(const framework::EvictPod& eviction, framework::Observer::VictimEnd end, std::string_view error = {});
  void Continue(const std::string& uid, Time now);
  void End(const std::string& uid, bool activate, Time now);

  framework::Observer* observer_ = nullptr;
  cluster::Cluster& cluster_;
  queue::SchedulingQueue& queue_;
  BindingCycles& bindings_;
  Reporter& reporter_;
  Outbox& outbox_;
  std::map<std::string, Running, std::less<>> running_;  // By uid of the preemptor, which may be a group.
  std::map<uint64_t, std::string> effects_;              // Effect id to uid of the preemptor.
};

}  // namespace berth::scheduler
