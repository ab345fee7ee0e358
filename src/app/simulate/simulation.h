// SPDX-License-Identifier: Apache-2.0
// Simulation: plays a timeline, or none, against the scheduler's core, in virtual time.
//
// It is a discrete-event simulation: time jumps to whatever is due next, be it something on the agenda (the timeline,
// arrivals, calls to the API server, pods that end), a deadline of the core or its next attempt, and in this order if
// they are due together. The same input gives the same history. Time begins at the latest time that the input mentions.
//
// Thread: one.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/simulate/timeline/api_server.h"
#include "app/simulate/timeline/pod_life.h"
#include "app/simulate/timeline/timeline.h"
#include "base/random.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "plugins/registry.h"
#include "record/input_log.h"
#include "runtime/agenda.h"
#include "scheduler/core.h"

namespace berth::simulate {

struct Settings {
  framework::SchedulerConfiguration configuration;
  framework::FeatureGates gates;
  const framework::Registry* plugins = &plugins::BuiltIn();  // That profiles may enable.
  std::optional<uint64_t> seed;  // Absent: of nodes that are equally good the first by name is taken.
  bool explain = false;
  size_t explain_limit = 5;  // Nodes per list of an explanation.
};

class Simulation {
 public:
  // Called now and then with the number of attempts so far and of pods in the queue.
  using Progress = std::function<void(size_t attempts, size_t queued)>;

  // Fails with upstream's text if the configuration makes no valid scheduler.
  // With a `log`, which must outlive this, every input of the core goes there (see src/record/input_log.h).
  static Result<std::unique_ptr<Simulation>> Create(const Settings& settings, World world, Timeline timeline,
                                                    std::ostream* log = nullptr);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Runs to `until`, counted from the start. Without it: until nothing is on the agenda any more and for a while no pod
  // was helped by anything.
  void Run(std::optional<Duration> until, const Progress& progress = {});

  const History& history() const { return history_; }
  const cluster::Cluster& cluster() const { return core_->cluster(); }

 private:
  Simulation(const Settings& settings, std::unique_ptr<scheduler::Core> core, Timeline timeline, Time start);
  void Plan(std::vector<TimelineEvent> events, std::vector<Arrivals> arrivals);
  void Happen(TimelineEvent& event);
  void Arrive(const std::shared_ptr<const Arrivals>& arrivals);
  Duration NextGap(const Arrivals& arrivals);

  std::vector<scheduler::IssuedEffect> Step(ApiServer::What what);
  void Feed(ApiServer::What what) { CarryOut(Step(std::move(what)), {}); }
  // `pod`: whose attempt they come from; empty: none.
  void CarryOut(std::vector<scheduler::IssuedEffect> effects, const std::string& pod);
  std::optional<Time> NextTime() const;
  bool IsSettled(Time next) const;
  void DoNext();
  void Attempt();
  QueueCounts CountQueue() const;
  void TakeSample(Time at);
  void SampleBefore(Time next);
  void Conclude();
  void Conclude(PodLife& life) const;

  Settings settings_;
  TimelineSettings behaviour_;
  std::unique_ptr<scheduler::Core> core_;
  std::unique_ptr<record::Writer> log_;  // May be null.
  runtime::Agenda agenda_;
  History history_;
  QueueCourse course_;
  ApiServer server_;
  Random random_;
  std::optional<Time> until_;
  Time next_attempt_;
};

}  // namespace berth::simulate
