// SPDX-License-Identifier: Apache-2.0
// Simulation: plays a timeline, or none, in a world with the scheduler's core, in virtual time.
//
// The world is that of `berth up`: its API server takes and refuses, its controllers make pods, its nodes run them.
// Here time jumps to whatever is due next, be it something on the agenda (the timeline, arrivals, calls to the API
// server, controllers, pods that end), a deadline of the core or its next attempt, and in this order if they are due
// together. The same input gives the same history. Time begins after the latest time that the input mentions, once the
// controllers have done their first work.
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
#include "app/simulate/input/loader.h"
#include "app/simulate/input/timeline.h"
#include "app/world/store_feed.h"
#include "app/world/world.h"
#include "base/random.h"
#include "client/access/credentials.h"
#include "client/orders/event_recorder.h"
#include "client/orders/extender_caller.h"
#include "client/orders/order_runner.h"
#include "client/request/rest_client.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "net/event_loop.h"
#include "plugins/registry.h"
#include "record/input_log.h"
#include "runtime/agenda.h"
#include "scheduler/core.h"
#include "server/local_transport.h"

namespace berth::simulate {

struct Settings {
  framework::SchedulerConfiguration configuration;
  framework::FeatureGates gates;
  const framework::Registry* plugins = &plugins::BuiltIn();  // That profiles may enable.
  std::optional<uint64_t> seed;   // Absent: of nodes that are equally good the first by name is taken.
  std::string devices_file;       // Of the devices that nodes have; empty: those in the input only.
  std::optional<Duration> until;  // Counted from the start. Absent: until nothing moves any more.
  bool explain = false;
  size_t explain_limit = 5;  // Nodes per list of an explanation.
};

class Simulation : private client::ObjectSink {
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
  using What = decltype(scheduler::Input::what);

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

  // What the store tells.
  void Deliver(std::vector<client::Delivery> batch) override;
  bool is_full() const override { return false; }

  std::vector<scheduler::IssuedEffect> Step(What what);
  void Feed(What what) { CarryOutLater(Step(std::move(what)), {}); }
  // `pod`: whose attempt they come from; empty: none.
  void CarryOutLater(std::vector<scheduler::IssuedEffect> effects, const std::string& pod);
  void CarryOut(scheduler::IssuedEffect issued, const std::string& pod);
  // Writes down what the report tells of it.
  void Report(const framework::Effect& effect, const std::string& pod);
  void CallExtender(uint64_t id, framework::CallExtender call);

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
  std::vector<api::Document> documents_;  // Which the manifests of events point into.
  runtime::Agenda agenda_;
  History history_;
  QueueCourse course_;
  std::unique_ptr<scheduler::Core> core_;
  std::unique_ptr<record::Writer> log_;  // May be null.
  world::World world_;
  Chronicle chronicle_;
  Loader loader_;

  // How the core's orders get to the API server.
  server::LocalTransport transport_;
  std::unique_ptr<client::Credentials> credentials_;
  client::RestClient client_;
  client::EventRecorder events_;
  client::OrderRunner orders_;
  std::unique_ptr<net::EventLoop> network_;  // For extenders; null: there are none.
  std::unique_ptr<client::ExtenderCaller> extenders_;
  world::StoreFeed feed_;

  Random random_;
  std::optional<Time> until_;
  Time next_attempt_;
  Time last_pod_;       // When the core was last told of a pod.
  size_t planned_ = 0;  // Of the timeline.
  std::optional<Error> failure_;
};

}  // namespace berth::simulate
