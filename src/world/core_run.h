// SPDX-License-Identifier: Apache-2.0
// CoreRun: a scheduler's core in a world, in virtual time.
//
// What is written to the world's store is told to the core, and what the core asks for is done by the API server, after
// a latency. Time jumps to whatever is due next, be it something on the agenda (calls to the API server, controllers,
// pods that end), a deadline of the core or its next attempt, and in this order if they are due together. The same
// input gives the same run.
//
// The core may know more than the store: what it asks for of objects that are in the core alone is done at once, as if
// their controllers had seen to it (see world/elsewhere.h).
//
// Thread: one.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/source.h"
#include "base/result.h"
#include "base/time.h"
#include "client/access/credentials.h"
#include "client/orders/event_recorder.h"
#include "client/orders/order_runner.h"
#include "client/request/rest_client.h"
#include "client/watch/object_sink.h"
#include "runtime/agenda.h"
#include "scheduler/core.h"
#include "server/local_transport.h"
#include "world/store_feed.h"
#include "world/world.h"

namespace berth::world {

struct Pace {
  Duration latency{};                              // Of every call to the API server.
  Duration scheduling_interval = Milliseconds(1);  // From one attempt to the next.
};

// Of a world that only a run knows: nobody watches, so what happened need not be kept.
World::Options RunOptions(const framework::FeatureGates& gates);

// Hears what happens in a run.
class RunListener {
 public:
  virtual ~RunListener() = default;

  // Around every step of the core.
  virtual void StepBegins(const scheduler::Input&) {}
  virtual void StepEnds(const std::vector<scheduler::IssuedEffect>&) {}
  // After a step that tried a pod.
  virtual void Tried(const scheduler::Core::LastAttempt&) {}
  // An effect is about to be carried out. `pod`: whose attempt it comes from; empty: none.
  virtual void CarriesOut(const framework::Effect&, const std::string& /*pod*/) {}
  // An extender is called; virtual time stands still meanwhile.
  virtual scheduler::EffectAnswer CallExtender(uint64_t id, framework::CallExtender call);
};

class CoreRun : private client::ObjectSink {
 public:
  // `first_attempt`: nothing is tried before it. REQUIRES: all outlive this; the world runs by the agenda, whose time
  // is not before that of the core.
  CoreRun(scheduler::Core& core, World& world, runtime::Agenda& agenda, RunListener& listener, const Pace& pace,
          api::KeptSources sources, Time first_attempt);
  CoreRun(const CoreRun&) = delete;
  CoreRun& operator=(const CoreRun&) = delete;

  // From now on the core hears of what is in the store.
  void Start();

  // When something will happen; nothing: never, unless somebody does something.
  std::optional<Time> NextTime() const;
  // Time passes to then, and the next thing happens. REQUIRES: it is NextTime.
  void DoNext(Time next);

  // What `work` writes to the store is known to the core already, and not told.
  template <class Work>
  void Untold(Work work) {
    is_told_ = false;
    work();
    is_told_ = true;
  }

  // Tells the core something.
  void Feed(decltype(scheduler::Input::what) what);

  scheduler::Core& core() { return core_; }
  const scheduler::Core& core() const { return core_; }
  World& world() { return world_; }
  runtime::Agenda& agenda() { return agenda_; }
  // What the store could not tell the core, because it makes no sense; the first counts.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  using What = decltype(scheduler::Input::what);

  // What the store tells.
  void Deliver(std::vector<client::Delivery> batch) override;
  bool is_full() const override { return false; }

  std::vector<scheduler::IssuedEffect> Step(What what);
  void CarryOutLater(std::vector<scheduler::IssuedEffect> effects, const std::string& pod);
  void CarryOut(scheduler::IssuedEffect issued, const std::string& pod);
  // Without the way over bytes: most of what is written at the core's order are bindings.
  void Bind(scheduler::IssuedEffect issued);
  void Attempt();

  scheduler::Core& core_;
  World& world_;
  runtime::Agenda& agenda_;
  RunListener& listener_;
  const Pace pace_;

  // How the core's orders get to the API server.
  server::LocalTransport transport_;
  std::unique_ptr<client::Credentials> credentials_;
  client::RestClient client_;
  client::EventRecorder events_;
  client::OrderRunner orders_;
  StoreFeed feed_;

  bool is_told_ = true;
  Time next_attempt_;
  Time last_pod_;  // When the core was last told of a pod.
  std::optional<Error> failure_;
};

}  // namespace berth::world
