// SPDX-License-Identifier: Apache-2.0
// SchedulerSession: a scheduler's dealings with an API server, from its first list to its last answer.
//
// It reads the cluster, waits until it leads, makes sure that the core knows all that the last leader did, and lets the
// core schedule until it is stopped or loses its lease. It knows neither sockets nor threads: the live scheduler and
// the simulator run the same session.
//
// Thread: that of the clients and the timers.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/source.h"
#include "client/cluster_reader.h"
#include "client/core_link.h"
#include "client/election/leader_elector.h"
#include "client/informers.h"
#include "client/orders/event_recorder.h"
#include "client/orders/order_runner.h"
#include "client/request/rest_client.h"
#include "client/watch/reflector_observer.h"
#include "runtime/loop.h"

namespace berth::client {

class SchedulerSession {
 public:
  // One API server, asked by clients with rate limits of their own, and the extenders. All must outlive the session.
  struct Clients {
    RestClient& main;
    RestClient& events;
    RestClient& leases;
    ExtenderCaller* extenders = nullptr;  // Null: there are none.
    // Makes what reads the cluster. Empty: informers do, by lists and watches.
    std::function<std::unique_ptr<ClusterReader>(ObjectSink&)> make_reader = {};
  };
  struct Options {
    std::string host_name;
    std::string content_type = std::string(kJson);
    std::optional<LeaderElector::Options> election;  // None: it leads from the beginning.
    bool delay_cache_until_active = false;           // Reads nothing before it leads.
    api::KeptSources sources = {};                   // Of the objects that the core is given.
    WatchedGroups groups = {};
    uint64_t seed = 0;  // Of jitter.
  };
  enum class End : uint8_t { kStopped, kLeaseLost };
  // None may destroy the session.
  struct Hooks {
    std::move_only_function<void()> on_leading;  // May be empty.
    // Called once, after Stop or when the lease was lost. Nothing may be asked of the API server from then on.
    std::move_only_function<void(End)> on_end;
  };

  SchedulerSession(Clients clients, runtime::Timers& timers, CoreLink& core, ReflectorObserver& observer,
                   Options options, Hooks hooks);
  SchedulerSession(const SchedulerSession&) = delete;
  SchedulerSession& operator=(const SchedulerSession&) = delete;

  void Start();
  // Takes up no more pods, waits a moment for what is under way, and gives the lease up.
  void Stop();

  // Writes an event about the lease; nothing happens if this scheduler has never led.
  void Tell(std::string_view type, std::string_view reason, std::string note);

  // What the core wants done.
  void CarryOut(std::vector<Order> orders);
  // The link to the core is not full any more.
  void Resume() { reader_->Resume(); }

  // Whether the core has seen the first list of everything.
  bool is_synced() const { return synced_; }
  bool is_stopping() const { return stopping_; }
  // By the last lease seen; true without leader election once it schedules.
  bool is_leading() const { return elector_ ? elector_->is_leader() : scheduling_; }
  // What the core has been told of, sorted.
  std::vector<std::string> NodeNames() const { return reader_->NodeNames(); }
  // Orders and events without an answer.
  size_t unanswered() const { return runner_.running() + events_.unwritten(); }
  // Why the lease is not in order, if it is not.
  std::optional<std::string> LeaseProblem() const { return elector_ ? elector_->CheckHealth() : std::nullopt; }

 private:
  std::unique_ptr<ClusterReader> MakeReader(const Clients& clients, ReflectorObserver& observer);
  void StartReading();
  bool WaitsToLead() const { return elector_ && options_.delay_cache_until_active; }
  void Elect(RestClient& client, runtime::Timers& timers);
  void RunForLeader();
  void OnCoreSynced();
  void OnLeading(const Lease& lease);
  void StartScheduling();
  void AwaitOrders();
  void Release(bool is_binding);

  runtime::Timers& timers_;
  CoreLink& core_;
  const Options options_;
  Hooks hooks_;
  EventRecorder events_;
  ClaimSources claim_sources_;
  OrderRunner runner_;
  const std::unique_ptr<ClusterReader> reader_;
  std::optional<LeaderElector> elector_;
  std::optional<Lease> lease_;  // As it was when this one began to lead.
  runtime::Loop drain_;
  Time drain_end_;
  bool synced_ = false;
  bool scheduling_ = false;
  bool stopping_ = false;
};

}  // namespace berth::client
