// SPDX-License-Identifier: Apache-2.0
// Simulation: plays a timeline, or none, in a world with the scheduler's core, in virtual time.
//
// The world is that of `berth up`: its API server takes and refuses, its controllers make pods, its nodes run them.
// What the timeline says stands on the agenda of its run (world/core_run.h). The same input gives the same history.
// Time begins after the latest time that the input mentions, once the controllers have done their first work.
//
// Thread: one.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/simulate/history/chronicle.h"
#include "app/simulate/history/pod_life.h"
#include "app/simulate/input/timeline.h"
#include "base/random.h"
#include "client/orders/extender_caller.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "net/event_loop.h"
#include "plugins/registry.h"
#include "record/input_log.h"
#include "runtime/agenda.h"
#include "scheduler/core.h"
#include "world/core_run.h"
#include "world/loader.h"
#include "world/world.h"

namespace berth::simulate {

struct Settings {
  framework::SchedulerConfiguration configuration;
  framework::FeatureGates gates;
  const framework::Registry* plugins = &plugins::BuiltIn();  // That profiles may enable.
  std::optional<uint64_t> seed;   // Absent: of nodes that are equally good the first by name is taken.
  std::string devices_file;       // Of the devices that nodes have; empty: those in the input only.
  std::string behaviour_file;     // How pods and nodes behave; empty: well.
  std::optional<Duration> until;  // Counted from the start. Absent: until nothing moves any more.
  bool explain = false;
  size_t explain_limit = 5;  // Nodes per list of an explanation.
};

class Simulation : private world::RunListener {
 public:
  // Called now and then with the number of attempts so far and of pods in the queue.
  using Progress = std::function<void(size_t attempts, size_t queued)>;

  // Fails with upstream's text if the configuration makes no valid scheduler, and if the API server refuses the input.
  // With a `log`, which must outlive this, every input of the core goes there (see src/record/input_log.h).
  // REQUIRES: the timeline has an end, or `until` is given.
  static Result<std::unique_ptr<Simulation>> Create(const Settings& settings, const Manifests& manifests,
                                                    Timeline timeline, std::ostream* log = nullptr);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Runs to the end. Without Settings::until: until all of the timeline has happened and for a while nothing helped any
  // pod. Fails if the API server refuses something of the timeline.
  Result<void> Run(const Progress& progress = {});

  const History& history() const { return history_; }
  const cluster::Cluster& cluster() const { return core_->cluster(); }

 private:
  Simulation(const Settings& settings, std::unique_ptr<scheduler::Core> core, const TimelineSettings& behaviour,
             Time begin);
  Result<void> Load(const Manifests& manifests);
  void Plan(std::vector<TimelineEvent> events, std::vector<Arrivals> arrivals);
  void PlanNext(Time at, runtime::Timers::Work work);

  // Each may be refused.
  Result<void> Happen(const TimelineEvent& event);
  Result<void> Happen(const CreateObjects& creation);
  Result<void> Happen(const DeleteObject& deletion);
  Result<void> Happen(const PatchObject& patch);
  Result<void> Happen(const DrainNode& drain);
  void Arrive(const std::shared_ptr<const Arrivals>& arrivals);
  Duration NextGap(const Arrivals& arrivals);
  void Note(std::string note);

  // What the run tells.
  void StepBegins(const scheduler::Input& input) override;
  void StepEnds(const std::vector<scheduler::IssuedEffect>& effects) override;
  void Tried(const scheduler::Core::LastAttempt& attempt) override;
  // Writes down what the report tells of it.
  void CarriesOut(const framework::Effect& effect, const std::string& pod) override;
  scheduler::EffectAnswer CallExtender(uint64_t id, framework::CallExtender call) override;

  void ExplainAttempt();
  bool IsSettled(Time next) const;
  QueueCounts CountQueue() const;
  void TakeSample(Time at);
  void SampleBefore(Time next);
  void Conclude();
  void Conclude(PodLife& life) const;

  Settings settings_;
  TimelineSettings behaviour_;
  std::vector<api::Document> documents_;  // Which the manifests of events point into.
  runtime::Agenda agenda_;
  History history_;
  QueueCourse course_;
  std::unique_ptr<scheduler::Core> core_;
  std::unique_ptr<record::Writer> log_;  // May be null.
  world::World world_;
  Chronicle chronicle_;
  world::Loader loader_;
  std::unique_ptr<net::EventLoop> network_;  // For extenders; null: there are none.
  std::unique_ptr<client::ExtenderCaller> extenders_;
  world::CoreRun run_;

  Random random_;
  std::optional<Time> until_;
  size_t planned_ = 0;  // Of the timeline.
  std::optional<Error> failure_;
};

}  // namespace berth::simulate
