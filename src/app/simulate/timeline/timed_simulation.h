// SPDX-License-Identifier: Apache-2.0
// TimedSimulation: plays a timeline against the scheduler's core, in virtual time.
//
// It is a discrete-event simulation: time jumps to whatever is due next, be it something on the agenda (the timeline,
// arrivals, calls to the API server, pods that end), a deadline of the core or its next attempt, and in this order if
// they are due together. The same input gives the same history.
//
// Thread: one.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

#include "app/simulate/simulation.h"
#include "app/simulate/timeline/agenda.h"
#include "app/simulate/timeline/api_server.h"
#include "app/simulate/timeline/pod_life.h"
#include "app/simulate/timeline/timeline.h"
#include "base/random.h"
#include "record/input_log.h"
#include "scheduler/core.h"

namespace berth::simulate {

class TimedSimulation {
 public:
  // Fails with upstream's text if the configuration makes no valid scheduler.
  // With a `log`, which must outlive this, every input of the core goes there (see src/record/input_log.h).
  static Result<std::unique_ptr<TimedSimulation>> Create(const Settings& settings, World world, Timeline timeline,
                                                         std::ostream* log = nullptr);
  TimedSimulation(const TimedSimulation&) = delete;
  TimedSimulation& operator=(const TimedSimulation&) = delete;

  // Runs to `until`, counted from the start. Without it: until nothing is on the agenda any more and for a while no pod
  // was helped by anything.
  void Run(std::optional<Duration> until, const Simulation::Progress& progress = {});

  const History& history() const { return history_; }
  const cluster::Cluster& cluster() const { return core_->cluster(); }

 private:
  TimedSimulation(const Settings& settings, std::unique_ptr<scheduler::Core> core, Timeline timeline, Time start);
  void Plan(std::vector<TimelineEvent> events, std::vector<Arrivals> arrivals);
  void Happen(TimelineEvent& event);
  void Arrive(const std::shared_ptr<const Arrivals>& arrivals);
  Duration NextGap(const Arrivals& arrivals);

  void Feed(ApiServer::What what);
  std::optional<Time> NextTime() const;
  bool IsSettled(Time next) const;
  void DoNext();
  void Attempt();
  QueueCounts CountQueue() const;
  void TakeSample(Time at);
  void SampleBefore(Time next);
  void Conclude();

  Settings settings_;
  TimelineSettings behaviour_;
  std::unique_ptr<scheduler::Core> core_;
  std::unique_ptr<record::Writer> log_;  // May be null.
  Agenda agenda_;
  History history_;
  QueueCourse course_;
  ApiServer server_;
  Random random_;
  std::optional<Time> until_;
  Time next_attempt_;
};

}  // namespace berth::simulate
